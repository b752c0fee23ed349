# This file is part of assay. It tells BenchExec (https://github.com/sosy-lab/benchexec) how to run
# assay, and what its output means. Copy it to benchexec/tools/, or name it as tool="…" by its module path.
#
# SPDX-License-Identifier: Apache-2.0

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import (
    ILP32,
    LP64,
    TaskFilesConsidered,
    get_data_model_from_task,
    handle_witness_of_task,
)


class Tool(benchexec.tools.template.BaseTool2):
    """
    Tool info for assay, a verifier of C programs.

    The last line of the output is "RESULT: true", "RESULT: unknown" or "RESULT: false(<property>)";
    what comes before is for people. Tasks with a witness are validations.
    """

    REQUIRED_PATHS = ["bin"]

    def executable(self, tool_locator):
        return tool_locator.find_executable("assay", subdir="bin")

    def name(self):
        return "assay"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="assay version")

    def cmdline(self, executable, options, task, rlimits):
        options = list(options)
        data_model = get_data_model_from_task(task, {ILP32: "-m32", LP64: "-m64"})
        if data_model and not any(o in options for o in ("-m32", "-m64", "--data-model")):
            options.append(data_model)
        if task.property_file:
            options += ["--spec", task.property_file]
        # Limits are told, so that assay ends by itself and says what it knows: one of processor time is
        # one of wall-clock time as well.
        seconds = [s for s in (rlimits.walltime, rlimits.cputime) if s]
        if seconds and "--timeout" not in options:
            options += ["--timeout", f"{int(min(seconds))}s"]
        if rlimits.memory and "--memory" not in options:
            options += ["--memory", f"{int(rlimits.memory * 0.95) >> 20}MiB"]
        files, witness = handle_witness_of_task(
            task, options, "--witness", TaskFilesConsidered.INPUT_FILES
        )
        command = "validate" if witness else "check"
        return [executable, command, *options, *witness, *files]

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in reversed(run.output):
            if line.startswith("RESULT: "):
                answer = line[len("RESULT: ") :].strip()
                if answer in ("confirmed", "rejected"):
                    return self._validated(answer == "confirmed", run)
                return self._verdict(answer)
        if run.exit_code.signal:
            return f"KILLED BY SIGNAL {run.exit_code.signal}"
        reasons = {3: "ERROR (input)", 4: "ERROR (bug of assay)"}
        return reasons.get(run.exit_code.value, result.RESULT_ERROR)

    @staticmethod
    def _validated(confirmed, run):
        # A validator answers as if it had been asked for the property: what confirms a violation is false.
        command = list(run.cmdline)
        try:
            with open(command[command.index("--witness") + 1], errors="replace") as file:
                violation = "violation_sequence" in file.read()
        except (OSError, ValueError, IndexError):
            return "ERROR (witness)"
        if confirmed != violation:
            return result.RESULT_TRUE_PROP
        for line in run.output:
            _, separator, name = line.rpartition(", property ")
            if separator and violation:
                return f"false({name.strip()})"
        return result.RESULT_FALSE_PROP

    @staticmethod
    def _verdict(answer):
        if answer == "unknown":
            return result.RESULT_UNKNOWN
        if answer == "true" or answer == "true (uncertified)":
            return result.RESULT_TRUE_PROP
        if answer.startswith("false(") and answer.endswith(")"):
            return answer
        return f"ERROR ({answer})"

    def get_value_from_output(self, output, identifier):
        # Of a line such as "certificate: accepted by Z3"; the last one counts.
        for line in reversed(output):
            head, separator, rest = line.strip().partition(":")
            if separator and head == identifier:
                return rest.strip()
        return None
