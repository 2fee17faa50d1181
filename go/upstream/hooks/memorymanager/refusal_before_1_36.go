//go:build upstream && !k8s1.36

package memorymanager

import "errors"

func refusalOf(told memoryAnswer) error { return errors.New(told.Refused) }
