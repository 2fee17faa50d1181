//go:build !k8s1.34

package main

import "k8s.io/api/core/v1"

// servedAsAWhole is false: containers are looked at one by one.
func servedAsAWhole(*v1.Pod) bool { return false }
