// Parses `.env` texts with godotenv. Each line of the input is a JSON string with the text of a file; each line of the output is {"values"}
// or {"error"}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/joho/godotenv"
)

func read(text string) (values map[string]string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	return godotenv.Unmarshal(text)
}

func main() {
	os.Clearenv()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			panic(err)
		}
		values, err := read(text)
		if err != nil {
			out.Encode(map[string]any{"error": true})
		} else {
			out.Encode(map[string]any{"values": values})
		}
	}
}
