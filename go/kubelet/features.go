package main

import (
	"strconv"
	"strings"

	"github.com/numa-conformance/numa-conformance/go/numa"
)

// claims are the features of every release; what came later stands in later.
var claims = []string{
	numa.FeatureCPUManagerNone, numa.FeatureCPUManagerStatic,
	numa.FeatureCPUManagerFullPcpusOnly, numa.FeatureCPUManagerDistributeCPUsAcrossNUMA, numa.FeatureCPUManagerAlignBySocket,
	numa.FeatureCPUManagerInitContainers, numa.FeatureCPUManagerStateFile,
	numa.FeatureMemoryManagerNone, numa.FeatureMemoryManagerStatic, numa.FeatureMemoryManagerHugepages,
	numa.FeatureMemoryManagerStateFile,
	numa.FeatureDeviceManagerAllocation, numa.FeatureDeviceManagerPreferredAllocation, numa.FeatureDeviceManagerStateFile,
	numa.FeatureTopologyManagerNone, numa.FeatureTopologyManagerBestEffort, numa.FeatureTopologyManagerRestricted,
	numa.FeatureTopologyManagerSingleNUMANode, numa.FeatureTopologyManagerScopeContainer, numa.FeatureTopologyManagerScopePod,
	numa.FeatureTopologyManagerPreferClosestNUMANodes,
	numa.FeatureSchedulerLeastAllocated, numa.FeatureSchedulerMostAllocated,
	numa.FeatureSchedulerRequestedToCapacityRatio, numa.FeatureSchedulerFilter,
}

// later are options of policies by the first minor that has them, and what is answered from a minor on.
var later = map[int][]string{
	31: {numa.FeatureCPUManagerDistributeCPUsAcrossCores, numa.FeatureTopologyManagerMaxAllowableNUMANodes},
	32: {numa.FeatureCPUManagerStrictCPUReservation, numa.FeatureCPUManagerPreferAlignCPUsByUncorecache},
	34: {numa.FeatureNodeResize},
}

// features returns what the kubelet of a minor ("1.34") does.
func features(minor string) []string {
	found := append([]string{}, claims...)
	number, _ := strconv.Atoi(strings.TrimPrefix(minor, "1."))
	for first, names := range later {
		if number >= first {
			found = append(found, names...)
		}
	}
	return found
}
