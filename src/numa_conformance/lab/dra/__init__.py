"""An unmodified DRA driver as a target: started on machines that are not there, met by stand-ins of ours."""
