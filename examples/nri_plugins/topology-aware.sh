#!/bin/sh
# Starts topology-aware of nri-plugins, the program TOPOLOGY_AWARE (default: nri-resource-policy-topology-aware in PATH):
#
#     topology-aware.sh {nri_socket} {host_root} {reserved_cpus} {reserved_amount} [{state_folder}]
#
# It reserves the CPUs that the kubelet's configuration names, else its amount, else a tenth of a CPU.
socket=$1 root=$2 cpus=$3 amount=$4 state=${5:-$(mktemp -d)}
[ -n "$cpus" ] && reserved="cpuset:$cpus" || reserved=${amount:-100m}
[ "$reserved" = 0m ] && reserved=100m
config=$state/topology-aware.yaml
cat > "$config" << END
apiVersion: config.nri/v1alpha1
kind: TopologyAwarePolicy
metadata: {name: default}
spec:
  pinCPU: true
  pinMemory: true
  colocatePods: true
  reservedResources: {cpu: "$reserved"}
END
exec "${TOPOLOGY_AWARE:-nri-resource-policy-topology-aware}" -nri-socket "$socket" -host-root "$root" \
    -state-dir "$state" -pid-file "$state/pid" -config-file "$config"
