package main

import (
	"encoding/json"
	"reflect"

	"k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	podoptions "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/preemption"
	"k8s.io/kubernetes/pkg/kubelet/sysctl"
)

// admitAtDoor sends a pod past the handlers around the managers, in the order of the kubelet.
func (t *target) admitAtDoor(asked *doorQuestion, config *configuration, node *v1.Node, told *doorAnswer) {
	if told.Panic = toText(t.setGates(nil)); told.Panic != "" { // the API server's
		return
	}
	pod, invalid := storedPod(asked.Pod)
	if invalid != "" {
		told.Invalid = invalid
		return
	}
	var others []*v1.Pod
	for _, document := range asked.Pods {
		other, invalid := storedPod(document)
		if invalid != "" {
			told.Invalid = "on the node: " + invalid
			return
		}
		others = append(others, other)
	}
	if told.Panic = toText(t.setGates(config.FeatureGates)); told.Panic != "" {
		return
	}
	kill := func(pod *v1.Pod, _ bool, _ *int64, _ func(*v1.PodStatus)) error {
		told.Ended = append(told.Ended, string(pod.UID))
		return nil
	}
	sysctls, err := allowedSysctls(config)
	if err != nil {
		told.Fails = err.Error()
		return
	}
	critical := preemption.NewCriticalPodAdmissionHandler(func() []*v1.Pod { return others }, kill, &record.FakeRecorder{})
	predicates := invoke(lifecycle.NewPredicateAdmitHandler, always{node}, critical, always{})[0]
	handlers := append([]any{underPressure(node), sysctls, predicates}, laterHandlers()...)
	for _, handler := range handlers {
		admit := reflect.ValueOf(handler).MethodByName("Admit").Interface()
		answer := invoke(admit, &lifecycle.PodAdmitAttributes{Pod: pod, OtherPods: others})[0].(lifecycle.PodAdmitResult)
		if !answer.Admit {
			told.Reason, told.Message = answer.Reason, answer.Message
			return
		}
	}
}

// allowedSysctls returns the handler of sysctls; the kubelet's start ends where it cannot be made.
func allowedSysctls(config *configuration) (lifecycle.PodAdmitHandler, error) {
	allowed, _ := result[[]string](invoke(sysctl.SafeSysctlAllowlist))
	return sysctl.NewAllowlist(append(allowed, config.AllowedUnsafeSysctls...))
}

func toText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// storedPod returns a pod as the API server stores it, or why it refuses it.
func storedPod(document json.RawMessage) (*v1.Pod, string) {
	pod := &v1.Pod{}
	if err := json.Unmarshal(document, pod); err != nil {
		return nil, err.Error()
	}
	defaults.SetObjectDefaults_Pod(pod)
	if err := defaultPodLevel(pod); err != nil {
		return nil, err.Error()
	}
	if source := pod.Annotations["kubernetes.io/config.source"]; pod.Spec.Priority == nil && source != "file" && source != "http" {
		pod.Spec.Priority = new(int32)
	}
	internal := &core.Pod{}
	if err := defaults.Convert_v1_Pod_To_core_Pod(pod.DeepCopy(), internal, nil); err != nil {
		return nil, err.Error()
	}
	options := podoptions.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, nil, &internal.ObjectMeta, nil)
	if faults := validation.ValidatePodCreate(internal, options); len(faults) > 0 {
		return nil, faults.ToAggregate().Error()
	}
	return pod, ""
}

// underPressure returns the eviction manager of a node that has these conditions.
func underPressure(node *v1.Node) any {
	var conditions []v1.NodeConditionType
	for _, condition := range node.Status.Conditions {
		if condition.Status == v1.ConditionTrue {
			conditions = append(conditions, condition.Type)
		}
	}
	nothing := make([]any, reflect.TypeOf(eviction.NewManager).NumIn())
	handler := invoke(eviction.NewManager, nothing...)[1]
	put(reflect.ValueOf(handler), "nodeConditions", conditions)
	return handler
}
