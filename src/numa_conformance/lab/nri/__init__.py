"""An unmodified NRI plugin as a target: started on machines that are not there, met by a container runtime of ours."""
