import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    """Returns the systems on which the program of the wheel runs."""

    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = os.environ["TAPEDECK_WHEEL_TAG"]
