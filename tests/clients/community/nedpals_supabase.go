// The calls of nedpals/supabase-go's README, and the others that the library has. Prints one JSON object a step.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	supa "github.com/nedpals/supabase-go"
)

const password = "Greenock pier"

type member struct {
	ID   int    `json:"id,omitempty"`
	Name string `json:"name"`
	Age  int    `json:"age"`
}

var (
	ctx     = context.Background()
	url     = os.Getenv("SUPABASE_URL")
	client  = supa.CreateClient(url, os.Getenv("SUPABASE_ANON_KEY"))
	service = supa.CreateClient(url, os.Getenv("SUPABASE_SERVICE_ROLE_KEY"))
)

// A step fails with what it panics: the library itself panics when it cannot read a response.
func step(name string, run func()) {
	var failure any
	func() {
		defer func() {
			if thrown := recover(); thrown != nil {
				failure = fmt.Sprint(thrown)
			}
		}()
		run()
	}()
	line, _ := json.Marshal(map[string]any{"step": name, "error": failure})
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func same(expected, actual any) {
	if fmt.Sprint(expected) != fmt.Sprint(actual) {
		panic(fmt.Sprintf("expected %v, got %v", expected, actual))
	}
}

func main() {
	var token, refreshToken, userID string

	step("Admin: create, get and update a user", func() {
		secret := password
		created, err := service.Admin.CreateUser(ctx, supa.AdminUserParams{Email: "go@club.example", Password: &secret, EmailConfirm: true, UserMetadata: supa.JSONMap{"a": 1}})
		check(err)
		userID = created.ID
		user, err := service.Admin.GetUser(ctx, userID)
		check(err)
		same("go@club.example 1", fmt.Sprint(user.Email, " ", user.UserMetaData["a"]))
		changed, err := service.Admin.UpdateUser(ctx, userID, supa.AdminUserParams{Email: "go@club.example", Password: &secret, UserMetadata: supa.JSONMap{"b": 2}})
		check(err)
		same(2, changed.UserMetaData["b"])
	})
	step("Admin: generate a link", func() {
		link, err := service.Admin.GenerateLink(ctx, supa.GenerateLinkParams{Type: "magiclink", Email: "go@club.example", RedirectTo: "https://club.example/in"})
		check(err)
		same("magiclink", link.VerificationType)
		same(6, len(link.EmailOtp))
		details, err := client.Auth.VerifyOtp(ctx, supa.VerifyTokenHashOtpCredentials{TokenHash: link.HashedToken, Type: "magiclink"})
		check(err)
		same("go@club.example", details.User.Email)
	})
	step("Auth: sign up", func() {
		user, err := client.Auth.SignUp(ctx, supa.UserCredentials{Email: "goup@club.example", Password: password, Data: map[string]any{"nick": "Up"}})
		check(err)
		same("goup@club.example Up", fmt.Sprint(user.Email, " ", user.UserMetadata["nick"]))
	})
	step("Auth: a wrong password is refused", func() {
		_, err := client.Auth.SignIn(ctx, supa.UserCredentials{Email: "go@club.example", Password: "wrong"})
		if err == nil {
			panic("was not refused")
		}
	})
	step("Auth: sign in, refresh, user", func() {
		details, err := client.Auth.SignIn(ctx, supa.UserCredentials{Email: "go@club.example", Password: password})
		check(err)
		details, err = client.Auth.RefreshUser(ctx, details.AccessToken, details.RefreshToken)
		check(err)
		token, refreshToken = details.AccessToken, details.RefreshToken
		user, err := client.Auth.User(ctx, token)
		check(err)
		same(userID, user.ID)
	})
	step("Auth: update the user", func() {
		user, err := client.Auth.UpdateUser(ctx, token, map[string]any{"data": map[string]any{"nick": "Gopher"}})
		check(err)
		same("Gopher", user.UserMetadata["nick"])
	})
	step("Auth: magic link, password recovery, invitations", func() {
		check(client.Auth.SendMagicLink(ctx, "go@club.example"))
		check(client.Auth.ResetPasswordForEmail(ctx, "go@club.example", "https://club.example/reset"))
		_, err := service.Auth.InviteUserByEmail(ctx, "goinvited@club.example")
		check(err)
		user, err := service.Auth.InviteUserByEmailWithData(ctx, "goinvited2@club.example", map[string]any{"invitedBy": "someone"}, "https://club.example/in")
		check(err)
		same("someone", user.UserMetadata["invitedBy"])
	})
	step("Auth: URL of a provider, with PKCE", func() {
		details, err := client.Auth.SignInWithProvider(supa.ProviderSignInOptions{Provider: "github", RedirectTo: "https://club.example/in", FlowType: supa.PKCE})
		check(err)
		same(true, strings.Contains(details.URL, "/auth/v1/authorize?") && details.CodeVerifier != "")
	})
	step("DB: select with filters, order and a single row", func() {
		var embedded, listed, tagged []map[string]any
		check(client.DB.From("members").Select("name", "clubs(name)").OrderBy("name", "asc").Limit(2).Eq("club_id", "1").Execute(&embedded))
		same("[map[clubs:map[name:Chess] name:Ann] map[clubs:map[name:Chess] name:Bob]]", embedded)
		var row map[string]any
		check(client.DB.From("members").Select("name").Single().Eq("id", "1").Execute(&row))
		same("Ann", row["name"])
		check(client.DB.From("members").Select("name").In("name", []string{"Ann", "Zoe"}).Not().IsNull("age").Execute(&listed))
		same("[map[name:Ann]]", listed)
		check(client.DB.From("members").Select("name").Cs("tags", []string{"red", "blue"}).Execute(&tagged))
		same("[map[name:Ann]]", tagged)
	})
	step("DB: insert, upsert, update and delete with the token of a user", func() {
		client.DB.AddHeader("Authorization", "Bearer "+token)
		var rows []member
		check(client.DB.From("members").Insert(member{Name: "Gopher", Age: 5}).Execute(&rows))
		same("Gopher", rows[0].Name)
		id := fmt.Sprint(rows[0].ID)
		check(client.DB.From("members").Upsert(member{ID: rows[0].ID, Name: "Gopher", Age: 6}).Execute(&rows))
		check(client.DB.From("members").Update(map[string]any{"age": 7}).Eq("id", id).Execute(&rows))
		same(7, rows[0].Age)
		check(client.DB.From("members").Delete().Eq("id", id).Execute(&rows))
		same(1, len(rows))
	})
	step("DB: a function, and an error", func() {
		var sum int
		check(client.DB.Rpc("add", map[string]any{"a": 1, "b": 2}).Execute(&sum))
		same(3, sum)
		err := client.DB.From("nothing").Select("*").Execute(nil)
		if err == nil || !strings.Contains(err.Error(), "nothing") {
			panic(fmt.Sprint("expected an error that names the table, got ", err))
		}
	})
	step("Storage: buckets", func() {
		_, err := service.Storage.CreateBucket(ctx, supa.BucketOption{Id: "gopher", Name: "gopher", Public: true})
		check(err)
		bucket, err := service.Storage.GetBucket(ctx, "gopher")
		check(err)
		same("gopher", bucket.Name)
		buckets, err := service.Storage.ListBuckets(ctx)
		check(err)
		same(true, len(*buckets) >= 1)
		_, err = service.Storage.UpdateBucket(ctx, "gopher", supa.BucketOption{Id: "gopher", Name: "gopher", Public: true})
		check(err)
	})
	step("Storage: upload, update, download, list, remove", func() {
		files := service.Storage.From("gopher")
		same("gopher/a/b.txt", files.Upload("a/b.txt", strings.NewReader("hello"), nil).Key)
		same("gopher/a/b.txt", files.Update("a/b.txt", strings.NewReader("hello again"), &supa.FileUploadOptions{ContentType: "text/plain"}).Key)
		content, err := files.Download("a/b.txt")
		check(err)
		same("hello again", string(content))
		same("b.txt", files.List("a", supa.FileSearchOptions{})[0].Name)
		same(true, strings.Contains(files.CreateSignedUrl("a/b.txt", 60).SignedUrl, "/object/sign/gopher/a/b.txt?token="))
		same(url+"/storage/v1/object/public/gopher/a/b.txt", files.GetPublicUrl("a/b.txt").SignedUrl)
		same("", files.Remove([]string{"a/b.txt"}).Message)
		if _, err = files.Download("a/b.txt"); err != supa.ErrNotFound {
			panic(fmt.Sprint("expected ErrNotFound, got ", err))
		}
	})
	step("Storage: move and copy, whose keys the library misspells, are refused", func() {
		files := service.Storage.From("gopher")
		same(true, files.Move("a", "b").Message != "" && files.Copy("a", "b").Message != "")
	})
	step("Storage: empty and delete the bucket", func() {
		_, err := service.Storage.EmptyBucket(ctx, "gopher")
		check(err)
		_, err = service.Storage.DeleteBucket(ctx, "gopher")
		check(err)
	})
	step("Auth: sign out", func() {
		check(client.Auth.SignOut(ctx, token))
		if _, err := client.Auth.RefreshUser(ctx, token, refreshToken); err == nil {
			panic("the refresh token still works")
		}
	})
}
