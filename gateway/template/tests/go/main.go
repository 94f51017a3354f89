// Renders templates with Go's own packages: reads lines of JSON, {"html", "template", "data"}, and writes a line {"out"} or {"error"} for each.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	html "html/template"
	"os"
	text "text/template"
)

type input struct {
	Html     bool           `json:"html"`
	Template string         `json:"template"`
	Data     map[string]any `json:"data"`
}

type output struct {
	Out   *string `json:"out,omitempty"`
	Error *string `json:"error,omitempty"`
}

func render(in input) (string, error) {
	var buffer bytes.Buffer
	if in.Html {
		parsed, err := html.New("").Parse(in.Template)
		if err != nil {
			return "", err
		}
		err = parsed.Execute(&buffer, in.Data)
		return buffer.String(), err
	}
	parsed, err := text.New("").Parse(in.Template)
	if err != nil {
		return "", err
	}
	err = parsed.Execute(&buffer, in.Data)
	return buffer.String(), err
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var in input
		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			panic(err)
		}
		text, err := render(in)
		if err != nil {
			message := err.Error()
			out.Encode(output{Error: &message})
		} else {
			out.Encode(output{Out: &text})
		}
	}
}
