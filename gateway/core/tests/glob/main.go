// Generates answers.tsv: whether path.Match of Go matches a name, for generated patterns, and what fs.Glob finds in a small tree.
//
//	go run main.go > answers.tsv (Go 1.27)
//
// Lines: `match`, pattern, name, `true`, `false` or `bad`; and `files`, pattern, the found files in order with spaces between them, or `bad`.
// Texts are written as Go's strconv.QuoteToASCII writes them, without the quotes.
package main

import (
	"fmt"
	"io/fs"
	"math/rand"
	"path"
	"sort"
	"strconv"
	"strings"
	"testing/fstest"
)

var terms = []string{
	"*", "*", "**", "***", "?", "a", "b", "c", ".", "-", "é", "日", ".sql", "seed", "[abc]", "[a-c]", "[^a-c]", "[^b]", "[a-cé-ü]", "[日-本]",
	"[a\\-c]", "[\\]a]", "[[]", "[*]", "[?a]", "[^*]", "\\*", "\\?", "\\[", "\\a", "\\\\", "]", "^", "{a,b}", "!", "[!a]",
}
var bad = []string{"[", "[]", "[]a]", "[^]", "[^]a]", "[a", "[a-", "[a-]", "[-]", "[-a]", "[a-b-c]", "\\", "[\\", "[\\]", "[é-", "[c-a]"}
var parts = []string{"a", "b", "c", ".", "-", "é", "日", ".sql", "seed", "*", "?", "[", "]", "\\", "^", "!", "{a,b}", "d", "z", ",", "本", "ü"}
var names = []string{
	"seed.sql", "seeds/1_a.sql", "seeds/2_b.sql", "seeds/10_c.sql", "seeds/é.sql", "seeds/.hidden.sql", "seeds/README.md", "seeds/deep/1_d.sql",
	"seeds/deep/er/2_e.sql", "seeds-extra/1.sql", "seeds/[1].sql", "seeds/a*b.sql", "other/x.html", "other/deep/y.html", "other/deep/er/z.html",
}
var globs = []string{
	"seed.sql", "nothing.sql", "*.sql", "**.sql", "seeds/**.sql", "seeds/*.sql", "seeds/**/*.sql", "**/*.sql", "*/*.sql", "*/*/*.sql",
	"*/*/*/*.sql", "seeds*/*.sql", "seeds/[0-9]_*.sql", "seeds/[0-9]*_*.sql", "seeds/[^0-9]*.sql", "seeds/?_?.sql", "seeds/\\[1\\].sql",
	"seeds/[[]1[]].sql", "seeds/[[]1].sql", "seeds/a\\*b.sql", "seeds/*/*", "seeds/*/er/*", "s*/deep", "*", "**", "**/**", "seeds/", "seeds/deep/er/2_e.sql",
	"seeds/[a-.sql", "seeds/[].sql", "[", "seeds/*[", "*/[", "seeds/\\", "other/**/*.html", "other/*.{html,md}", "seeds/???.sql",
	"seed.sql/*", "seeds/README.md/*", "nothing/*.sql", "*/1*", "*/*d*/*", "seeds/[à-ü].sql", "seeds/[!a]*.sql",
}

func quoted(text string) string {
	return strings.Trim(strconv.QuoteToASCII(text), `"`)
}

func some(random *rand.Rand, from []string, most int) string {
	text := ""
	for range random.Intn(most + 1) {
		text += from[random.Intn(len(from))]
	}
	return text
}

// A name that is likely to match: each term replaced by a text that it may match.
func likely(random *rand.Rand, pattern string) string {
	name := ""
	for _, char := range pattern {
		switch char {
		case '*':
			name += some(random, parts, 2)
		case '?':
			name += parts[random.Intn(len(parts))]
		case '[', ']', '\\', '^':
			if random.Intn(4) == 0 {
				name += string(char)
			}
		default:
			if random.Intn(8) > 0 {
				name += string(char)
			}
		}
	}
	return name
}

func main() {
	random := rand.New(rand.NewSource(20261128))
	seen := map[string]bool{}
	kinds := map[string]int{"true": 450, "false": 450, "bad": 150}
	for kinds["true"]+kinds["false"]+kinds["bad"] > 0 {
		pattern := some(random, terms, 5)
		if random.Intn(8) == 0 {
			pattern += bad[random.Intn(len(bad))] + some(random, terms, 2)
		}
		name := some(random, parts, 5)
		if random.Intn(3) > 0 {
			name = likely(random, pattern)
		}
		if random.Intn(12) == 0 {
			name += "\xff" + some(random, parts, 1)
		}
		answer := "bad"
		if matched, err := path.Match(pattern, name); err == nil {
			answer = strconv.FormatBool(matched)
		}
		line := fmt.Sprintf("match\t%s\t%s\t%s", quoted(pattern), quoted(name), answer)
		if !seen[line] && kinds[answer] > 0 {
			seen[line] = true
			kinds[answer]--
			fmt.Println(line)
		}
	}
	tree := fstest.MapFS{}
	for _, name := range names {
		tree[name] = &fstest.MapFile{}
	}
	for _, pattern := range globs {
		found, err := fs.Glob(tree, path.Clean(pattern))
		sort.Strings(found)
		answer := strings.Join(found, " ")
		if err != nil {
			answer = "bad"
		}
		fmt.Printf("files\t%s\t%s\n", quoted(pattern), quoted(answer))
	}
}
