"""An unmodified DRA driver as a target: started on machines that are not there, met by an API server and kubelet of ours."""
