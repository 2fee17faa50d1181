"""Control CPU Management Policies on the Node, of 1.8 and of today."""

TEXT = """\
# cpu-1.8/configuration 1.8+ Configuration
alpha-gate [MUST 1.8-1.9] The CPU Manager is alpha in 1.8 and needs the gate CPUManager=true.
  untestable: no version before 1.27 can be asked for
policy-flag [MUST] The policy is chosen by --cpu-manager-policy.
  untestable: the flag is the kubelet's; targets are given a KubeletConfiguration
none-is-the-default [MUST] The default policy is none.
reconciles-through-the-cri [MUST] Cpusets are written periodically through the CRI, so that cgroups agree with what is
  assigned.
period-flag [MUST] --cpu-manager-reconcile-period sets the period.
  untestable: the flag is the kubelet's; targets are given a KubeletConfiguration
period-default [MUST] By default the period is that of --node-status-update-frequency.
  untestable: the period is in no answer; `numa-conformance simulate` tells the reference's

# cpu-1.8/none 1.8+ None policy
quota [MUST] Under policy none CFS quota enforces the limits of Guaranteed pods.

# cpu-1.8/static 1.8+ Static policy
restart-may-lose-exclusivity [MAY 1.8-1.9] In 1.8 exclusivity is not guaranteed across restarts of the kubelet.
  untestable: no version before 1.27 can be asked for
reservation-is-the-sum [MUST] Reserved are kube-reserved and system-reserved together.
needs-a-reservation [MUST] Policy static needs kube-reserved or system-reserved above zero.
reserved-by-core-id [MUST] Reserved CPUs are taken in whole numbers, in ascending order of core ids.
example-classes [MUST] The six examples have the classes BestEffort, Burstable, Burstable, Guaranteed, Guaranteed,
  Guaranteed.
example-placements [MUST] The fourth and the sixth example get 2 exclusive CPUs, the others run in the shared pool.
pool-holds-all-cpus-at-first [MUST] The shared pool initially holds all CPUs.
cpusets-enforce-exclusivity [MUST] The cpuset cgroup controller enforces exclusivity.
exclusive-against-other-pods [MUST] System services may run on exclusive CPUs; other pods are kept off.
quota-is-not-needed [MUST] CFS quota does not bound containers with exclusive CPUs.
as-many-as-the-limit [MUST] The number of exclusive CPUs equals the whole CPU limit.

# cpu-task/configuration 1.8+ Configuration
policies [MUST] The policies are none, the default, and static.
reconciles-through-the-cri [MUST] Cpusets are written periodically through the CRI, so that cgroups agree with what is
  assigned.
period-default [MUST] By default the reconcile period is nodeStatusUpdateFrequency.
  untestable: the period is in no answer; `numa-conformance simulate` tells the reference's
options-field [MUST 1.22+] Options of policy static are a list of names and values.
gate-off-means-defaults [MUST 1.22-1.32] With the gate CPUManagerPolicyOptions off the policy runs with its defaults.
alpha-options-are-hidden [MUST 1.23+] Alpha options are hidden unless CPUManagerPolicyAlphaOptions is on.
beta-options-are-visible [MUST 1.23+] Beta options are visible unless CPUManagerPolicyBetaOptions is off.

# cpu-task/change 1.10+ Changing the CPU Manager Policy
applies-to-new-pods [MUST] A changed policy does not apply to pods that exist.
  untestable: whole nodes are drained before; what happens without is the next sentence
needs-the-file-removed [MUST] The policy changes once the node is drained and the state file is removed.
refused-otherwise [MUST] Otherwise the kubelet ends at start, telling both policies and the file to delete.
changed-cpus-need-it-too [MUST] When the set of online CPUs changes the node must be drained and the state file deleted.

# cpu-task/none 1.8+ none policy configuration
needs-nothing [MUST] Policy none has no further configuration.

# cpu-task/static 1.17+ static policy configuration
explicit-list-comes-first [MUST] An explicit list of reserved CPUs takes precedence over kube-reserved and
  system-reserved.
needs-a-reservation [MUST] Policy static needs a reservation above zero, by kube-reserved, system-reserved or the
  explicit list.

# cpu-task/options 1.22+ Static policy options #cpu-policy-static--options
full-pcpus-and-numa-add-up [MUST 1.23+] full-pcpus-only and distribute-cpus-across-numa add up: whole cores are
  distributed.
align-by-socket-adds-up [MUST 1.25+] align-by-socket adds to full-pcpus-only and distribute-cpus-across-numa.
across-cores-stands-alone [MUST 1.31+] distribute-cpus-across-cores cannot be used with full-pcpus-only or
  distribute-cpus-across-numa.
strict-needs-the-file-removed [MUST 1.32+] strict-cpu-reservation is switched on by option, removal of the state file,
  and a restart.
incompatible-options-fail-the-start [MUST 1.32+] With incompatible options the kubelet fails to start.
"""
