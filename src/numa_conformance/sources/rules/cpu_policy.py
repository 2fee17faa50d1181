"""CPU Manager: reservation, options, eligibility, hints, refusals."""

TEXT = """\
# Reserved CPUs
CPU-RSV-01 [doc] reservedSystemCPUs names the reserved CPUs, in place of what kubeReserved and systemReserved say
  about cpu.
CPU-RSV-02 [impl] An explicit list removes cpu from kubeReserved and sets that of systemReserved to the size of the
  list. An empty text counts as none.
CPU-RSV-03 [doc+impl] The kubelet does not start with a list that cannot be read, that names CPUs the machine does not
  have, or beside a cgroup for reserved resources.
CPU-RSV-04 [impl] The reserved amount of cpu is systemReserved plus kubeReserved; eviction thresholds hold no cpu; an
  amount of zero is dropped.
CPU-RSV-05 [doc+impl] Policy static without any reserved CPU is refused; the kubelet words it as a reservation that
  cannot be determined.
CPU-RSV-06 [doc+impl] An amount that is no whole number of CPUs is rounded up.
CPU-RSV-07 [impl] Without an explicit list the reserved CPUs are what the allocator gives for that number on the empty
  machine, options included. Another number of CPUs is an error.
CPU-RSV-08 [impl] The threads of every core that has a reserved CPU count as reserved for the SMT check alone.
CPU-RSV-09 [doc+impl] The page takes reserved CPUs in ascending order of core ids. The allocator takes full sockets and
  NUMA nodes first, the smaller node first, and obeys options.
CPU-RSV-10 [impl] Bring-up checks in order: machine, name of the policy, reserved amount, options, options against the
  machine, reserved CPUs.

# Policies and options
CPU-OPT-01 [impl] The flag for options takes one key=value each time it is given and does not split at commas, though
  the page speaks of a list.
CPU-OPT-02 [impl] The reconcile period is 10 seconds whatever nodeStatusUpdateFrequency is, though the page derives it
  from there.
CPU-OPT-03 [impl] The accepted spelling of the default policy is none; the reference page prints None, which is
  refused.
CPU-OPT-10 [impl] Values of options are Go's boolean texts: 1 t T TRUE true True, 0 f F FALSE false False. Any other is
  refused.
CPU-OPT-11 [impl] Name and feature gate of an option are checked before its value, and also where the value is false.
  Policy none takes no options.
CPU-OPT-12 [doc+impl] Four pairs of options are refused: full-pcpus-only, distribute-cpus-across-numa and
  prefer-align-cpus-by-uncorecache beside distribute-cpus-across-cores, and the uncore option beside
  distribute-cpus-across-numa. The page names the first two.
CPU-OPT-13 [doc] align-by-socket is incompatible with single-numa-node, and with hardware that has more sockets than
  NUMA nodes.
CPU-OPT-14 [doc+impl] Every other combination is legal; full-pcpus-only, distribute-cpus-across-numa and
  align-by-socket add up.
CPU-OPT-15 [impl] Options are not kept in the state file.

# Who gets exclusive CPUs
CPU-ELIG-01 [doc] A container gets exclusive CPUs when the policy is static, its pod is Guaranteed and its CPU request
  is a positive whole number.
CPU-ELIG-02 [impl] The class is that of the pod's status where it is set, else computed; ephemeral containers never
  count.
CPU-ELIG-03 [impl] A request is whole when its CPUs, rounded up, make its thousandths, rounded up; 2, 2.0, 2000m and
  2e0 are.
CPU-ELIG-04 [doc+impl] What counts is the request, set from the limit where it is not given. With in-place resizing it
  is the amount allocated in the status.
CPU-ELIG-05 [impl] Init containers, sidecars and app containers are eligible, each by its own request; ephemeral
  containers are not.
CPU-ELIG-06 [impl] In one Guaranteed pod a container with a fractional request is shared beside a sibling with
  exclusive CPUs.
CPU-ELIG-07 [impl] Resizing a Guaranteed pod in place is refused under policy static, as Infeasible: since 1.32, unless
  the gate InPlacePodVerticalScalingExclusiveCPUs is on. Since 1.34 only where the CPU request of a container changes.
CPU-ELIG-08 [impl] CPUs are allocated once, at admission, container by container: init containers as listed, then app
  containers. A restarted container keeps its CPUs.
CPU-ELIG-10 [doc+impl] A pod with spec.resources has no exclusive CPUs and no pinned memory, unless the gate
  PodLevelResourceManagers is on. In 1.32 and 1.33 its containers had them by their own requests.
CPU-ELIG-11 [doc+impl] With that gate the pod is owed the CPUs of its own request when they are whole. A container gets
  exclusive ones of them when its CPUs are whole, and its requests of cpu and memory equal its limits.

# Pods that get their CPUs as a whole
CPU-PLR-01 [doc+impl] With the gate PodLevelResourceManagers and the scope pod the CPUs of a Guaranteed pod with
  spec.resources are taken in one piece. They are as many as its own request has.
CPU-PLR-02 [doc+impl] Containers of Guaranteed amounts and whole CPUs get exclusive CPUs out of it, the others share the
  rest. An ordinary init container may have all that the sidecars before it leave.
CPU-PLR-03 [doc+impl] A pod that would leave its shared containers no CPUs is refused with EmptyPodSharedPoolError.
CPU-PLR-04 [doc+impl] The CPUs come back with the pod's last container.

# Hints of the CPU Manager
CPU-HINT-01 [doc+impl] Policy none and containers without exclusive CPUs give no opinion.
CPU-HINT-02 [impl] An empty list of hints says that the request cannot be satisfied.
CPU-HINT-03 [impl] Stale assignments are removed before hints are made.
CPU-HINT-04 [impl] A container that has CPUs gives hints for these, or none where their number differs from its request.
  Else the pool without reserved CPUs and the reusable CPUs count.
CPU-HINT-05 [impl] A pod asks for the larger of its apps with sidecars and its largest init container beside the
  sidecars before it. Fractional containers count 0.
CPU-HINT-06 [impl] In the pod scope the CPUs that the pod's containers hold count together.
CPU-HINT-07 [impl] In the pod scope hints are made once per pod, and the result holds for every container.
CPU-HINT-08 [impl] Every set of NUMA nodes with enough free CPUs that covers the reusable ones is a hint. Preferred are
  those as narrow as the capacity of the empty machine allows.
CPU-HINT-09 [doc+impl] So a hint is preferred as measured on an empty machine, and on a used one perhaps none is.
CPU-HINT-10 [impl] align-by-socket adds preferred hints whose nodes lie on the least number of sockets; it withdraws
  none.
CPU-HINT-11 [impl] Options of the allocation do not change hints: a preferred hint may still end in SMTAlignmentError.

# Errors at admission
CPU-ADM-01 [doc+impl] Under full-pcpus-only a number that is no multiple of the CPUs per core is refused with
  SMTAlignmentError.
CPU-ADM-02 [impl] So is more than the free CPUs outside cores with reserved CPUs; reusable CPUs are not counted.
CPU-ADM-03 [impl] As these checks come first, a running pod may be refused when the kubelet restarts.
CPU-ADM-04 [impl] Errors of the allocator are UnexpectedAdmissionError with a fixed text around them.
CPU-ADM-05 [doc+impl] A refusal by the Topology Manager is TopologyAffinityError.
CPU-ADM-06 [impl] A refused pod is Failed, with reason and message; what the page calls the message SMTAlignmentError
  is the reason.
CPU-ADM-07 [impl] Managers are asked before the fit of the pod is checked: a pod refused later holds its CPUs until
  stale assignments are removed.
CPU-ADM-08 [impl] A reservation of half a core and a narrower best-effort affinity break the promise of whole cores.
CPU-ADM-09 [impl] Without SMT full-pcpus-only changes nothing but the count of free CPUs.
"""
