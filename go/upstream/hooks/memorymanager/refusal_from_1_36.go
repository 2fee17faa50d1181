//go:build upstream && k8s1.36

package memorymanager

import (
	"errors"

	"k8s.io/kubernetes/pkg/kubelet/cm/admission"
)

func refusalOf(told memoryAnswer) error {
	if told.Reason == admission.ErrorReasonEmptyPodSharedPool {
		return admission.NewEmptyPodSharedPoolError(errors.New(told.Refused))
	}
	return errors.New(told.Refused)
}
