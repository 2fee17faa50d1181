package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
)

const nodeName = "node"

// Score lets NodeResourcesFit score and filter one node.
func (t *target) Score(asked numa.Score) (numa.ScoreReply, error) {
	if err := t.setGates(nil); err != nil {
		return nil, err
	}
	arguments, err := fitArguments(asked.Strategy)
	if err != nil {
		return numa.ScoreRefused{Message: err.Error()}, nil
	}
	info, err := nodeInfo(asked)
	if err != nil {
		return nil, err
	}
	pod, err := podOf(asked.Pod)
	if err != nil {
		return nil, err
	}
	made, err := result[any](invoke(noderesources.NewFit, arguments, handleOf(info), schedulerFeatures()))
	if err != nil {
		return numa.ScoreRefused{Message: err.Error()}, nil
	}
	fit := made.(*noderesources.Fit)
	score, err := scored(fit, pod, info)
	if err != nil {
		return nil, err
	}
	return numa.Scored{Score: &score, Insufficient: insufficient(fit, pod, info)}, nil
}

// fitArguments reads the plugin's arguments as the scheduler's configuration does, with defaults.
func fitArguments(strategy json.RawMessage) (any, error) {
	text, err := json.Marshal(map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeResourcesFitArgs", "scoringStrategy": strategy,
	})
	if err != nil {
		return nil, err
	}
	arguments, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	return arguments, err
}

func nodeInfo(asked numa.Score) (*framework.NodeInfo, error) {
	info := framework.NewNodeInfo()
	for _, document := range asked.Pods {
		pod, err := podOf(document)
		if err != nil {
			return nil, err
		}
		invoke(info.AddPod, pod)
	}
	node := &v1.Node{}
	node.Name = nodeName
	node.Status.Allocatable = v1.ResourceList{}
	for name, text := range asked.Allocatable {
		amount, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, &numa.Error{Code: numa.CodeInvalidParams, Message: fmt.Sprintf("allocatable.%s: %s", name, err)}
		}
		node.Status.Allocatable[v1.ResourceName(name)] = amount
	}
	info.SetNode(node)
	return info, nil
}

// schedulerFeatures switches on for the plugins what the gates switch on, as their registry does: by name.
func schedulerFeatures() feature.Features {
	var found feature.Features
	fields := reflect.ValueOf(&found).Elem()
	for index := 0; index < fields.NumField(); index++ {
		name, is := strings.CutPrefix(fields.Type().Field(index).Name, "Enable")
		if is && fields.Field(index).Kind() == reflect.Bool {
			fields.Field(index).SetBool(enabled(featuregate.Feature(name)))
		}
	}
	return found
}

func insufficient(fit *noderesources.Fit, pod *v1.Pod, info *framework.NodeInfo) []string {
	state := framework.NewCycleState()
	invoke(fit.PreFilter, state, pod)
	status := invoke(fit.Filter, state, pod, info)[0]
	if reflect.ValueOf(status).IsNil() { // it fits
		return nil
	}
	reasons := status.(interface{ Reasons() []string }).Reasons()
	sort.Strings(reasons)
	return reasons
}
