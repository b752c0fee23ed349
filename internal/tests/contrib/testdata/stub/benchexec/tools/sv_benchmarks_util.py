from enum import Enum

ILP32 = "ILP32"
LP64 = "LP64"


class TaskFilesConsidered(Enum):
    INPUT_FILES_OR_IDENTIFIER = 1
    INPUT_FILES = 2
    SINGLE_INPUT_FILE = 3


def get_data_model_from_task(task, param_dict):
    if isinstance(task.options, dict) and task.options.get("language") == "C":
        model = task.options.get("data_model")
        return param_dict[model] if model else None
    return None


def handle_witness_of_task(task, options, witness_option, considered):
    name = (task.options or {}).get("witness_input_file")
    files = [f for f in task.input_files if f.rsplit("/", 1)[-1] != name]
    witnesses = [f for f in task.input_files if f not in files]
    return files, [witness_option, witnesses[0]] if witnesses else []
