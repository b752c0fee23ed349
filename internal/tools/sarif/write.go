package sarif

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// write writes a log without what the library writes of absent things: empty lists, -1 for
// indices and offsets, defaults.
func write(w io.Writer, log *sarif.Report) error {
	data, err := json.Marshal(log)
	if err != nil {
		return err
	}
	var all any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(pruned(all))
}

// absent are the values with which the format means that a field is absent, or its default.
var absent = map[string]string{
	"byteOffset": "-1", "charOffset": "-1", "id": "-1", "index": "-1", "ruleIndex": "-1", "parentIndex": "-1", "rank": "-1", "executionOrder": "-1", "length": "-1",
}

// pruned is a value of JSON without absent fields. The list of results stays, if it is empty, too: that means
// that there are none.
func pruned(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
	case map[string]any:
		for k, x := range v {
			if k == "properties" {
				if bag, ok := x.(map[string]any); ok {
					if len(bag) == 0 {
						delete(v, k)
					}
					continue // what is in it is ours
				}
			}
			x = pruned(x)
			list, isList := x.([]any)
			number, isNumber := x.(json.Number)
			if isList && len(list) == 0 && k != "results" || isNumber && absent[k] == number.String() {
				delete(v, k)
				continue
			}
			v[k] = x
		}
	}
	return v
}
