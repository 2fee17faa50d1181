from hypothesis import HealthCheck, settings

from asked_in_full import NAME

pytest_plugins = ["pytester"]

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.register_profile(
    "deep", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(NAME)
