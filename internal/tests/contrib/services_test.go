package contrib

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Programs for the scripts: one is true, one is false, one is unknown with the flags of the tests, one is no C.
var files = map[string]string{
	"good.c":  "int main(void) { return 0; }\n",
	"bad.c":   "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint main(void) { assert(__VERIFIER_nondet_int() != 7); }\n",
	"open.c":  "#include <assert.h>\nunsigned __VERIFIER_nondet_uint(void);\nint main(void) { unsigned x = 1; while (__VERIFIER_nondet_uint()) { x = 1664525u * x + 1013904223u; assert(x != 2); } }\n",
	"wrong.c": "int main(void) { return x; }\n",
	"lib.c":   "// a library\nint half(int x) { return x / 2; }\n",
	"flag.c":  "// assay: --function inverse --property div-by-zero\nint inverse(int x) { return 100 / x; }\n",
}

// folderOf writes the programs.
func folderOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// script runs a script in a folder and gives its exit code.
func script(t *testing.T, dir string, env []string, name string, args ...string) (code int, output string) {
	t.Helper()
	tool(t, "bash")
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "ASSAY="+program(t)), env...)
	out, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode(), string(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, string(out)
}

// definition reads a definition of a service.
func definition(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(contrib(t, name))
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestGitHubAction runs the step of the action as GitHub would: the inputs, with their defaults, become the environment.
func TestGitHubAction(t *testing.T) {
	var action struct {
		Inputs map[string]struct {
			Default  string
			Required bool
		}
		Runs struct {
			Using string
			Steps []struct {
				Run, Shell, Uses string
				Env, With        map[string]string
			}
		}
	}
	definition(t, "github/action.yml", &action)
	step := action.Runs.Steps[0]
	if action.Runs.Using != "composite" || step.Shell != "bash" || step.Run != `"$GITHUB_ACTION_PATH/../check.sh"` || action.Runs.Steps[1].With["sarif_file"] != step.Env["ASSAY_OUT"] {
		t.Fatalf("%+v", action.Runs)
	}
	dir := folderOf(t)
	for _, x := range []struct {
		inputs  map[string]string
		code    int
		answers []string
	}{
		{map[string]string{"files": "good.c"}, 0, []string{"| `good.c` | true |"}},
		{map[string]string{"files": "good.c bad.c", "property": "unreach-call"}, 1, []string{"| `good.c` | true |", "| `bad.c` | false(unreach-call) |"}},
		{map[string]string{"files": "op*.c", "property": "unreach-call", "flags": "--unwind 3"}, 0, []string{"| `open.c` | unknown |"}},
		{map[string]string{"files": "open.c", "property": "unreach-call", "flags": "--unwind 3", "unknown": "fail"}, 1, []string{"unknown"}},
		{map[string]string{"files": "wrong.c bad.c", "property": "unreach-call"}, 3, []string{"| `wrong.c` | not checked (exit code 3) |", "false(unreach-call)"}},
		{map[string]string{"files": "good.c lib.c", "property": "unreach-call", "together": "true"}, 0, []string{"| `good.c lib.c` | true |"}},
		{map[string]string{"files": "none*.c"}, 3, nil},
	} {
		os.RemoveAll(filepath.Join(dir, "assay-results"))
		summary := filepath.Join(t.TempDir(), "summary.md")
		env := []string{"GITHUB_STEP_SUMMARY=" + summary}
		for name, value := range step.Env {
			if inputName, ok := strings.CutPrefix(value, "${{ inputs."); ok {
				inputName = strings.TrimSuffix(inputName, " }}")
				d, known := action.Inputs[inputName]
				if !known {
					t.Fatalf("there is no input %s", inputName)
				}
				if value = d.Default; x.inputs[inputName] != "" {
					value = x.inputs[inputName]
				}
			}
			if name != "ASSAY" {
				env = append(env, name+"="+value)
			}
		}
		code, output := script(t, dir, env, contrib(t, "check.sh"))
		text, _ := os.ReadFile(summary)
		if code != x.code {
			t.Errorf("%v: exit code %d, want %d:\n%s", x.inputs, code, x.code, output)
		}
		for _, want := range x.answers {
			if !strings.Contains(string(text), want) {
				t.Errorf("%v: the summary is %q", x.inputs, text)
			}
		}
		for _, f := range strings.Fields(x.inputs["files"]) {
			if strings.Contains(f, "*") || x.inputs["together"] != "" {
				continue
			}
			log, err := os.ReadFile(filepath.Join(dir, "assay-results", f+".sarif"))
			if err != nil || !json.Valid(log) {
				t.Errorf("%s.sarif: %v", f, err)
			}
		}
	}
}

// TestGitLabTemplate runs the script of the job.
func TestGitLabTemplate(t *testing.T) {
	var template map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct{ Paths []string }
	}
	definition(t, "gitlab/assay.gitlab-ci.yml", &template)
	job := template["assay"]
	if len(job.Script) != 1 || len(job.Artifacts.Paths) != 1 || job.Artifacts.Paths[0] != job.Variables["ASSAY_OUT"]+"/" {
		t.Fatalf("%+v", job)
	}
	env := []string{"ASSAY_HOME=" + filepath.Dir(contrib(t, ""))}
	for name, value := range job.Variables {
		if name == "ASSAY_FILES" {
			value = "bad.c"
		}
		env = append(env, name+"="+value)
	}
	dir := folderOf(t)
	if code, output := script(t, dir, env, "bash", "-c", job.Script[0]); code != 1 || !strings.Contains(output, "| `bad.c` | false(") {
		t.Errorf("exit code %d:\n%s", code, output)
	}
}

// TestPreCommitHook runs the hook as pre-commit does: flags, then the files of the commit.
func TestPreCommitHook(t *testing.T) {
	var hooks []struct{ ID, Entry, Language string }
	definition(t, "../.pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].ID != "assay" || hooks[0].Language != "script" {
		t.Fatalf("%+v", hooks)
	}
	hook := contrib(t, "../"+hooks[0].Entry)
	dir := folderOf(t)
	for _, x := range []struct {
		args, want string
		code       int
	}{
		{"good.c lib.c", "", 0},
		{"--property unreach-call good.c bad.c", "RESULT: false(unreach-call)", 1},
		{"--property unreach-call --unwind 3 open.c", "", 0},
		{"flag.c", "RESULT: false(div-by-zero)", 1},
		{"wrong.c", "wrong.c:1:", 1},
	} {
		code, output := script(t, dir, nil, hook, strings.Fields(x.args)...)
		if code != x.code || !strings.Contains(output, x.want) || x.want == "" && output != "" {
			t.Errorf("%s: exit code %d, want %d:\n%s", x.args, code, x.code, output)
		}
	}
}
