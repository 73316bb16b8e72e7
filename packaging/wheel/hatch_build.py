import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    """Names the systems that the program of the wheel runs on."""

    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = os.environ["TAPEDECK_WHEEL_TAG"]
