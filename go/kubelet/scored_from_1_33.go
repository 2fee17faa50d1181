//go:build k8s1.33

package main

import (
	"context"

	"k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
)

func scored(fit *noderesources.Fit, pod *v1.Pod, node *framework.NodeInfo) (int64, error) {
	score, status := fit.Score(context.Background(), framework.NewCycleState(), pod, node)
	return score, status.AsError()
}
