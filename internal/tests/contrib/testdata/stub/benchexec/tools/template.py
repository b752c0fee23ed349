import subprocess
from abc import ABCMeta, abstractmethod


class UnsupportedFeatureException(Exception):
    pass


class BaseTool2(metaclass=ABCMeta):
    REQUIRED_PATHS = []

    @abstractmethod
    def executable(self, tool_locator): ...

    @abstractmethod
    def name(self): ...

    def _version_from_tool(self, executable, arg="--version", line_prefix=None):
        done = subprocess.run([executable, arg], capture_output=True, text=True)
        if done.returncode or done.stderr:
            return ""
        if line_prefix is None:
            return done.stdout.strip()
        for line in done.stdout.splitlines():
            if line.startswith(line_prefix):
                return line[len(line_prefix) :].strip()
        return ""
