//go:build !k8s1.33

package main

import (
	"context"

	"k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
)

// handle gives the plugin the one node there is.
type handle struct {
	framework.Handle
	framework.SharedLister
	framework.NodeInfoLister
	node *framework.NodeInfo
}

func (h handle) SnapshotSharedLister() framework.SharedLister { return h }
func (h handle) NodeInfos() framework.NodeInfoLister          { return h }
func (h handle) Get(string) (*framework.NodeInfo, error)      { return h.node, nil }
func handleOf(node *framework.NodeInfo) framework.Handle      { return handle{node: node} }

func scored(fit *noderesources.Fit, pod *v1.Pod, _ *framework.NodeInfo) (int64, error) {
	score, status := fit.Score(context.Background(), framework.NewCycleState(), pod, nodeName)
	return score, status.AsError()
}
