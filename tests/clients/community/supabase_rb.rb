# frozen_string_literal: true

# The calls of supabase-rb's README. The caller sets Ruby's search path to the library and to its dependencies. Prints one JSON object a step.
require "json"
require "net/http"
require "stringio"
require "supabase"
require "supabase/realtime/sockets/websocket_client_simple"

URL = ENV.fetch("SUPABASE_URL")
ANON = ENV.fetch("SUPABASE_ANON_KEY")
SECRET = ENV.fetch("SUPABASE_SERVICE_ROLE_KEY")
PASSWORD = "Greenock pier"
KEPT = {}

def step(name)
  yield
  puts JSON.generate(step: name, error: nil)
rescue StandardError, NotImplementedError => e
  puts JSON.generate(step: name, error: "#{e.class}: #{e.message} #{e.backtrace.first}")
ensure
  $stdout.flush
end

def same(expected, actual)
  raise "expected #{expected.inspect}, got #{actual.inspect}" unless expected == actual
end

# Runs a call that must be refused, and returns the error.
def refused(kind)
  yield
rescue kind => e
  e
else
  raise "was not refused"
end

def client = KEPT[:client]
def admin = KEPT[:service].auth.admin
# `set_auth` replaces the client of auth, so the one with the session is kept.
def auth = KEPT[:auth] ||= client.auth
def members = client.from("members")

step("auth.admin: create, list, get, update, invite, generate a link, delete") do
  KEPT[:client] = Supabase.create_client(supabase_url: URL, supabase_key: ANON)
  KEPT[:service] = Supabase.create_client(supabase_url: URL, supabase_key: SECRET)
  user = admin.create_user({ email: "ruby@club.example", password: PASSWORD, email_confirm: true, user_metadata: { nick: "R" } }).user
  same "R", user.user_metadata["nick"]
  same true, admin.list_users(page: 1, per_page: 50).any? { |one| one.id == user.id }
  same "ruby@club.example", admin.get_user_by_id(user.id).user.email
  same "S", admin.update_user_by_id(user.id, { user_metadata: { nick: "S" } }).user.user_metadata["nick"]
  same "ruby-invited@club.example", admin.invite_user_by_email("ruby-invited@club.example").user.email
  link = admin.generate_link({ type: "magiclink", email: "ruby@club.example" })
  same true, link.properties.action_link.include?("type=magiclink")
  KEPT[:hash] = link.properties.hashed_token
  other = admin.create_user({ email: "ruby-other@club.example", password: PASSWORD }).user
  admin.delete_user(other.id)
  same 404, refused(Supabase::Auth::Errors::AuthApiError) { admin.get_user_by_id(other.id) }.status
end

step("sign_up, a wrong password, sign_in_with_password, verify_otp, get_claims") do
  same nil, auth.sign_up({ email: "ruby-up@club.example", password: PASSWORD }).session
  same "invalid_credentials", refused(Supabase::Auth::Errors::AuthApiError) { auth.sign_in_with_password({ email: "ruby@club.example", password: "wrong" }) }.code
  same "weak_password", refused(Supabase::Auth::Errors::AuthError) { auth.sign_up({ email: "ruby-weak@club.example", password: "x" }) }.code
  same "ruby@club.example", auth.verify_otp({ type: "email", token_hash: KEPT[:hash] }).user.email
  session = auth.sign_in_with_password({ email: "ruby@club.example", password: PASSWORD }).session
  client.set_auth(session.access_token)
  same "ruby@club.example", auth.get_user.user.email
  same "authenticated", auth.get_claims(jwt: session.access_token).claims["role"]
end

step("refresh_session, set_session, update_user, identities, password reset, OAuth URL, anonymous user") do
  before = auth.get_session
  after = auth.refresh_session.session
  same true, before.refresh_token != after.refresh_token
  auth.set_session(after.access_token, after.refresh_token)
  same "T", auth.update_user({ data: { nick: "T" } }).user.user_metadata["nick"]
  same ["email"], auth.get_user_identities.identities.map(&:provider)
  auth.reset_password_for_email("ruby@club.example", { redirect_to: "https://club.example/reset" })
  # These calls remove the session of their client.
  guest = Supabase.create_client(supabase_url: URL, supabase_key: ANON)
  guest.auth.sign_in_with_otp({ email: "ruby-up@club.example" })
  same true, guest.auth.sign_in_with_oauth({ provider: "github" }).url.include?("/auth/v1/authorize?provider=github")
  same true, guest.auth.sign_in_anonymously.user.is_anonymous
  guest.auth.sign_out
end

step("mfa: enroll, challenge, list, unenroll") do
  factor = auth.mfa.enroll({ factor_type: "totp", friendly_name: "ruby" })
  same true, factor.totp.uri.start_with?("otpauth://totp/")
  same true, auth.mfa.challenge({ factor_id: factor.id }).id.is_a?(String)
  same 1, auth.mfa.list_factors.all.length
  same "aal1", auth.mfa.get_authenticator_assurance_level.current_level
  same factor.id, auth.mfa.unenroll({ factor_id: factor.id }).id
end

step("from: select with filters, order, range, count, single, embeds, CSV") do
  found = members.select("name, clubs(name)").gt("age", 13).order("age", desc: true).limit(1).execute
  same [{ "name" => "Cara, Jr. (2nd)", "clubs" => { "name" => "Rowing" } }], found.data
  same 4, members.select("*", count: "exact", head: true).execute.count
  same "Ann", members.select("name").eq("id", 1).single.execute.data["name"]
  same nil, members.select("name").eq("id", -1).maybe_single.execute&.data
  same %w[Bob Ann], members.select("name").in_("name", ["Ann", "Bob", "x,y(z)"]).order("id", desc: true).execute.data.map { |row| row["name"] }
  same ["Ann"], members.select("name").contains("tags", %w[blue]).execute.data.map { |row| row["name"] }
  same ["Cara, Jr. (2nd)"], members.select("name").or_("age.gt.16,name.eq.none").execute.data.map { |row| row["name"] }
  same "PGRST205", refused(Supabase::Postgrest::Errors::APIError) { client.from("missing").select("*").execute }.code
end

step("insert, upsert, update, delete, rpc") do
  id = members.insert({ "name" => "Ruby “Ü”", "tags" => ["a,b"] }).execute.data[0]["id"]
  members.upsert({ "name" => "Ruby “Ü”", "age" => 4 }, on_conflict: "name").execute
  same [5], members.update({ "age" => 5 }).eq("id", id).execute.data.map { |row| row["age"] }
  same 1, members.delete.eq("id", id).execute.data.length
  same 3, client.rpc("add", { a: 1, b: 2 }).execute.data
  same 2, client.rpc("older_than", { minimum: 14 }).execute.data.length
  same "23505", refused(Supabase::Postgrest::Errors::APIError) { members.insert({ "name" => "Ann" }).execute }.code
end

step("storage: buckets; upload of bytes and IO, update, download, info, list, list_v2, move, copy, remove") do
  buckets = KEPT[:service].storage
  buckets.create_bucket("ruby", public: true, allowed_mime_types: ["text/plain", "image/*"])
  same true, buckets.list_buckets.any? { |bucket| bucket.id == "ruby" }
  buckets.update_bucket("ruby", public: true, allowed_mime_types: ["text/plain"])
  same ["text/plain"], buckets.get_bucket("ruby").allowed_mime_types
  files = client.storage.from("ruby")
  files.upload("a/b-c.txt", "hello", content_type: "text/plain", metadata: { by: "Ann" }, cache_control: "60")
  files.upload("a/io.txt", StringIO.new("from io"), content_type: "text/plain", upsert: true)
  files.update("a/io.txt", "again", content_type: "text/plain")
  same "again", files.download("a/io.txt")
  same({ "by" => "Ann" }, files.info("a/b-c.txt")["metadata"])
  same true, files.exists?("a/io.txt")
  same false, files.exists?("a/none.txt")
  same ["b-c.txt", "io.txt"], files.list("a", sort_by: { column: "name", order: "asc" }).map { |file| file["name"] }
  same 2, files.list_v2(prefix: "a/", limit: 10).objects.length
  files.move("a/io.txt", "a/moved.txt")
  files.copy("a/moved.txt", "a/copied.txt")
  same 2, files.remove(["a/moved.txt", "a/copied.txt"]).length
  same "415", refused(StandardError) { files.upload("a.json", "{}", content_type: "application/json") }.status.to_s
end

step("storage: public and signed URLs, signed uploads") do
  files = client.storage.from("ruby")
  same "hello", Net::HTTP.get(URI(files.get_public_url("a/b-c.txt")))
  same "hello", Net::HTTP.get(URI(files.create_signed_url("a/b-c.txt", expires_in: 60)["signedURL"]))
  same 2, files.create_signed_urls(["a/b-c.txt", "none"], expires_in: 60).length
  signed = files.create_signed_upload_url("a/signed.txt")
  files.upload_to_signed_url("a/signed.txt", token: signed.token, file: "signed", content_type: "text/plain")
  same "signed", files.download("a/signed.txt")
  buckets = KEPT[:service].storage
  buckets.empty_bucket("ruby")
  buckets.delete_bucket("ruby")
end

step("storage.vectors: a bucket, an index, put, get, list, query with a filter, delete") do
  vectors = KEPT[:service].storage.vectors
  vectors.create_bucket("ruby-vectors")
  bucket = vectors.from("ruby-vectors")
  bucket.create_index("docs", 2, "cosine", "float32")
  index = bucket.index("docs")
  index.put([{ key: "east", data: { float32: [1.0, 0.0] }, metadata: { kind: "a" } }, { key: "north", data: { float32: [0.0, 1.0] }, metadata: { kind: "b" } }])
  same 1, index.get("east").vectors.length
  same 2, index.list(max_results: 10).vectors.length
  same "east", index.query({ float32: [0.9, 0.1] }, top_k: 2).vectors.first.key
  same ["north"], index.query({ float32: [0.9, 0.1] }, top_k: 2, filter: { kind: "b" }).vectors.map(&:key)
  index.delete(%w[east north])
  bucket.delete_index("docs")
  vectors.delete_bucket("ruby-vectors")
end

step("functions.invoke: JSON, a method, a query, a region, an error") do
  same '{"name":"Ada"}', client.functions.invoke("hello", body: { name: "Ada" }).data["body"]
  answer = client.functions.invoke("hello", method: "PUT", query: { tenant: "x" }, body: "text", region: Supabase::Functions::Types::FunctionRegion::US_EAST_1).data
  same ["PUT", "us-east-1"], [answer["method"], answer["region"]]
  same true, answer["search"].include?("tenant=x")
  same 409, refused(Supabase::Functions::Errors::FunctionsHttpError) { client.functions.invoke("fails") }.status
end

def wait_until(what)
  limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 15
  until yield
    raise "not within 15 s: #{what.call}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit

    sleep 0.05
  end
end

step("realtime: on_postgres_changes with a filter, broadcast, presence, with the socket of websocket-client-simple") do
  token = auth.get_session.access_token
  address = "#{URL.sub("http", "ws")}/realtime/v1"
  socket = Supabase::Realtime::Sockets::WebsocketClientSimple.new(url: "#{address}/websocket?apikey=#{ANON}&vsn=1.0.0")
  realtime = Supabase::Realtime::Client.new(url: address, params: { "apikey" => ANON, "access_token" => token }, socket: socket)
  realtime.connect
  wait_until(-> { "no connection" }) { realtime.connected? }
  config = { "broadcast" => { "ack" => true, "self" => true }, "presence" => { "key" => "ruby", "enabled" => true }, "private" => false }
  channel = realtime.channel("realtime:ruby", params: { "config" => config, "access_token" => token })
  heard = { states: [], rows: [], words: [], system: [], joins: [] }
  channel.on_postgres_changes("INSERT", schema: "public", table: "members", filter: "name=eq.Ruby live") { |change| heard[:rows] << change["data"]["record"]["name"] }
  channel.on_broadcast("word") { |message| heard[:words] << message["payload"] }
  channel.on_system { |message| heard[:system] << message.to_s }
  channel.presence.on_join { |key, *| heard[:joins] << key }
  channel.subscribe { |state, error| heard[:states] << [state, error] }
  wait_until(-> { heard }) { heard[:system].any? { |text| text.include?("Subscribed to PostgreSQL") } }
  same [["SUBSCRIBED", nil]], heard[:states]
  channel.send_broadcast("word", { "word" => "ahoy “Ü”" })
  channel.track({ "at" => "pier" })
  members.insert([{ "name" => "Ruby other" }, { "name" => "Ruby live" }]).execute
  wait_until(-> { heard }) { %i[rows words joins].all? { |kind| heard[kind].any? } }
  same [["Ruby live"], [{ "word" => "ahoy “Ü”" }], ["ruby"]], [heard[:rows], heard[:words], heard[:joins]]
  members.delete.in_("name", ["Ruby other", "Ruby live"]).execute
  channel.unsubscribe
  realtime.disconnect
end

step("sign_out") do
  token = auth.get_session.access_token
  auth.sign_out
  same nil, auth.get_session
  same 403, refused(Supabase::Auth::Errors::AuthApiError) { auth.get_user(token) }.status
end
