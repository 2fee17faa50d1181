#!/bin/sh
# Starts balloons of nri-plugins, the program BALLOONS (default: nri-resource-policy-balloons in PATH):
#
#     balloons.sh {nri_socket} {host_root} {reserved_cpus} {reserved_amount} [{state_folder}]
#
# Containers of Guaranteed pods have balloons of their own. It reserves the CPUs that the kubelet's configuration names,
# else its amount, else a tenth of a CPU.
socket=$1 root=$2 cpus=$3 amount=$4 state=${5:-$(mktemp -d)}
[ -n "$cpus" ] && reserved="cpuset:$cpus" || reserved=${amount:-100m}
[ "$reserved" = 0m ] && reserved=100m
config=$state/balloons.yaml
cat > "$config" << END
apiVersion: config.nri/v1alpha1
kind: BalloonsPolicy
metadata: {name: default}
spec:
  pinCPU: true
  pinMemory: true
  reservedResources: {cpu: "$reserved"}
  balloonTypes:
    - name: guaranteed
      preferNewBalloons: true
      matchExpressions:
        - {key: qosclass, operator: Equals, values: [Guaranteed]}
END
exec "${BALLOONS:-nri-resource-policy-balloons}" -nri-socket "$socket" -host-root "$root" \
    -state-dir "$state" -pid-file "$state/pid" -config-file "$config"
