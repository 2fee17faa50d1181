//go:build upstream

package lifecycle

import (
	"reflect"

	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	v1 "k8s.io/api/core/v1"
)

type filteredByReference struct{ reasons []PredicateFailureReason }

// predicatesQuestion asks which predicates a pod fails on a node.
type predicatesQuestion struct {
	Pod  *v1.Pod   `json:"pod"`
	Node *v1.Node  `json:"node"`
	Pods []*v1.Pod `json:"pods"`
}

// nodeOf is what is asked of the scheduler's NodeInfo.
type nodeOf interface{ Node() *v1.Node }

// askGeneralFilter puts generalFilter.
func askGeneralFilter(pod *v1.Pod, nodeInfo nodeOf) *filteredByReference {
	const in = "generalFilter"
	node := nodeInfo.Node()
	if pod.Spec.NodeName != "" && pod.Spec.NodeName != node.Name {
		reference.Unsaid(in, "a pod of another node")
		return nil
	}
	question := predicatesQuestion{Pod: pod, Node: node, Pods: podsOf(nodeInfo)}
	var told []struct {
		Resource, Name, Why       string
		Requested, Used, Capacity int64
	}
	if !reference.Ask(in, reference.Question{Method: "predicates", Params: question}, &told) {
		return nil
	}
	found := &filteredByReference{}
	for _, one := range told {
		if one.Resource == "" {
			found.reasons = append(found.reasons, &PredicateFailureError{one.Name, one.Why})
			continue
		}
		found.reasons = append(found.reasons, &InsufficientResourceError{
			ResourceName: v1.ResourceName(one.Resource), Requested: one.Requested, Used: one.Used, Capacity: one.Capacity,
		})
	}
	return found
}

// podsOf returns the pods on a node, which a NodeInfo has in a field, and each of them from 1.34 on behind a method.
func podsOf(nodeInfo any) []*v1.Pod {
	var found []*v1.Pod
	listed := reflect.ValueOf(nodeInfo).Elem().FieldByName("Pods")
	for index := 0; index < listed.Len(); index++ {
		one := listed.Index(index).Interface()
		if told, is := one.(interface{ GetPod() *v1.Pod }); is {
			found = append(found, told.GetPod())
		} else {
			found = append(found, reflect.ValueOf(one).Elem().FieldByName("Pod").Interface().(*v1.Pod))
		}
	}
	return found
}
