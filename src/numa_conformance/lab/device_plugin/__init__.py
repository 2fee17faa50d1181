"""An unmodified device plugin as a target: started on machines that are not there, met by a kubelet of ours."""
