//go:build browser

package webpage

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"assay"
)

// browser opens a page in headless Chromium; without one the test is skipped. Messages of the console are errors.
func browser(t *testing.T, text string) context.Context {
	t.Helper()
	var chromium string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" {
		t.Skip("Chromium is not installed (apt-get install chromium)")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WindowSize(1400, 500))
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	chromedp.ListenTarget(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the script fails: %v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			t.Errorf("the console says: %v", e.Args)
		}
	})
	if err := chromedp.Run(ctx, chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String())); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// TestStepping: keys, buttons and clicks go through the run; the line and the values follow.
func TestStepping(t *testing.T) {
	text, _ := page(t, indexed, func(task *assay.Task) { task.Properties = []assay.Property{assay.ValidDeref} }, Options{})
	ctx := browser(t, text)
	state := func() (at, line, row, values string) {
		err := chromedp.Run(ctx,
			chromedp.Text("#at", &at),
			chromedp.Evaluate(`[...document.querySelectorAll(".source .here")].map(e => e.id).join()`, &line),
			chromedp.Evaluate(`[...document.querySelectorAll(".trace .here")].map(e => e.dataset.step).join()`, &row),
			chromedp.Text("#values", &values))
		if err != nil {
			t.Fatal(err)
		}
		return at, line, row, strings.Join(strings.Fields(values), " ")
	}
	expect := func(what, wantLine, wantRow, wantValues string) {
		t.Helper()
		at, line, row, values := state()
		if line != wantLine || row != wantRow || !strings.HasPrefix(at, "step "+wantRow+" of ") || !strings.Contains(values, wantValues) {
			t.Errorf("%s: %q, line %q, row %q, values %q, want %s, %s, %q", what, at, line, row, values, wantLine, wantRow, wantValues)
		}
	}
	press := func(keys string) {
		t.Helper()
		if err := chromedp.Run(ctx, chromedp.KeyEvent(keys)); err != nil {
			t.Fatal(err)
		}
	}
	_, line, last, values := state()
	if line != "f0-4" || !strings.Contains(values, "get k = 8 main n = 8 i = 8") {
		t.Errorf("at the violation: line %s, values %q", line, values)
	}
	press("g")
	expect("g", "f0-7", "1", "main n = 8")
	press("j")
	expect("j", "f0-10", "2", "i = 0")
	press(kb.ArrowDown)
	press(kb.ArrowUp)
	press("k")
	press("k") // nothing is before the first step
	expect("k", "f0-7", "1", "n = 8")
	press("G")
	if _, _, row, _ := state(); row != last {
		t.Errorf("G goes to step %s, not %s", row, last)
	}
	if err := chromedp.Run(ctx, chromedp.Click("#first"), chromedp.Click("#next")); err != nil {
		t.Fatal(err)
	}
	expect("buttons", "f0-10", "2", "i = 0")
	if err := chromedp.Run(ctx, chromedp.Click(`tr[data-step="1"] .what`)); err != nil {
		t.Fatal(err)
	}
	expect("a click", "f0-7", "1", "n = 8")
}

// TestColours: text is readable in light and dark, by the ratio of contrast that accessibility guidelines ask for, and nothing is
// wider than the window, be it narrow.
func TestColours(t *testing.T) {
	text, _ := page(t, indexed, func(task *assay.Task) { task.Properties = []assay.Property{assay.ValidDeref} }, Options{})
	ctx := browser(t, text)
	const contrast = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour, under) => { canvas.fillStyle = under || "#000"; canvas.fillRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const css = c => "rgb(" + c.slice(0, 3).join() + ")";
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
  const page = getComputedStyle(document.documentElement).colorScheme && matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff";
  const bad = [];
  for (const e of document.querySelectorAll("td, th, p, h1, h2, h3, span, a, i, b, code, div")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.closest(".hidden, .graph")) continue;
    let under = page;
    const chain = [];
    for (let p = e; p; p = p.parentElement) chain.unshift(getComputedStyle(p).backgroundColor);
    for (const c of chain) under = css(rgb(c, under));
    const a = light(rgb(getComputedStyle(e).color, under)), b = light(rgb(under));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.push(e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 30) + ": " + ratio.toFixed(2));
  }
  return bad.join("\n");
})()`
	for _, scheme := range []string{"light", "dark"} {
		var bad string
		set := emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})
		if err := chromedp.Run(ctx, set, chromedp.Evaluate(contrast, &bad)); err != nil {
			t.Fatal(err)
		}
		if bad != "" {
			t.Errorf("%s: too little contrast:\n%s", scheme, bad)
		}
	}
	for _, width := range []int64{1400, 700, 400} {
		var over int
		if err := chromedp.Run(ctx, chromedp.EmulateViewport(width, 700), chromedp.Evaluate(`document.documentElement.scrollWidth - innerWidth`, &over)); err != nil {
			t.Fatal(err)
		}
		if over > 0 {
			t.Errorf("the page is %d pixels wider than a window of %d", over, width)
		}
	}
}

// TestGraphInWindow: the page of a graph opens with the graph inside of the window and its entry chosen, and f comes back to that.
func TestGraphInWindow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.c")
	program := "int main(void) {\n  unsigned i = 0, s = 0;\n  while (i < 9)\n    if (i % 2) s += i++; else i++;\n  return s;\n}\n"
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := assay.Graph(t.Context(), assay.Task{Files: []string{file}, Properties: []assay.Property{assay.ValidDeref}}, &b, assay.GraphOptions{Format: "html", Steps: true}); err != nil {
		t.Fatal(err)
	}
	ctx := browser(t, b.String())
	expect := func(when string) {
		t.Helper()
		var inside bool
		var chosen, detail string
		if err := chromedp.Run(ctx,
			chromedp.Evaluate(`(() => { const g = graph.getBoundingClientRect(), b = document.getElementById("box0").getBoundingClientRect();
				return b.width > 0 && b.left >= g.left && b.right <= g.right && b.top >= g.top && b.bottom <= g.bottom; })()`, &inside),
			chromedp.Evaluate(`[...document.querySelectorAll(".chosen")].map(e => e.id).join()`, &chosen),
			chromedp.Text("#detail", &detail)); err != nil {
			t.Fatal(err)
		}
		if !inside || chosen != "box0" || detail == "" {
			t.Errorf("%s: the entry is in the window: %v; chosen: %q; %q", when, inside, chosen, detail)
		}
	}
	expect("at first")
	if err := chromedp.Run(ctx, chromedp.Evaluate("x = -5000; y = 3000; scale = 7; place(); 0", nil), chromedp.KeyEvent("f")); err != nil {
		t.Fatal(err)
	}
	expect("after f")
}
