"""The options of the static policy, one file each: the page's sentence, how it is met, where the kubelet departs."""
