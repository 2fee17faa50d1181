"""The other fields of KubeletConfiguration v1beta1: real, and without a say in what the resource managers decide."""

__all__ = ["OTHER_FIELDS"]

OTHER_FIELDS: frozenset[str] = frozenset(
    """
    address allowedUnsafeSysctls authentication authorization cgroupDriver cgroupRoot cgroupsPerQOS clusterDNS
    clusterDomain configMapAndSecretChangeDetectionStrategy containerLogMaxFiles containerLogMaxSize
    containerLogMaxWorkers containerLogMonitorInterval containerRuntimeEndpoint contentType crashLoopBackOff
    enableContentionProfiling enableControllerAttachDetach enableDebugFlagsHandler enableDebuggingHandlers
    enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery enforceNodeAllocatable eventBurst
    eventRecordQPS evictionMaxPodGracePeriod evictionMinimumReclaim evictionPressureTransitionPeriod evictionSoft
    evictionSoftGracePeriod failCgroupV1 failSwapOn fileCheckFrequency hairpinMode healthzBindAddress healthzPort
    httpCheckFrequency imageGCHighThresholdPercent imageGCLowThresholdPercent imageMaximumGCAge imageMinimumGCAge
    imagePullCredentialsVerificationPolicy imageServiceEndpoint iptablesDropBit iptablesMasqueradeBit kernelMemcgNotification
    kubeAPIBurst kubeAPIQPS kubeletCgroups localStorageCapacityIsolation logging makeIPTablesUtilChains maxOpenFiles
    maxParallelImagePulls memorySwap memoryThrottlingFactor mergeDefaultEvictionSettings nodeLeaseDurationSeconds
    nodeStatusMaxImages nodeStatusReportFrequency oomScoreAdj podCIDR podLogsDir podPidsLimit podsPerCore port
    preloadedImagesVerificationAllowlist protectKernelDefaults providerID qosReserved readOnlyPort registerNode
    registerWithTaints registryBurst registryPullQPS resolvConf rotateCertificates runOnce runtimeRequestTimeout
    seccompDefault serializeImagePulls serverTLSBootstrap showHiddenMetricsForVersion shutdownGracePeriod
    shutdownGracePeriodByPodPriority shutdownGracePeriodCriticalPods singleProcessOOMKill staticPodPath staticPodURL
    staticPodURLHeader streamingConnectionIdleTimeout syncFrequency systemCgroups tlsCertFile tlsCipherSuites
    tlsMinVersion tlsPrivateKeyFile tracing userNamespaces volumePluginDir
    volumeStatsAggPeriod
    """.split()
)
