/**
 * A project of Auth.js with `@auth/supabase-adapter`: the SQL of its documentation (https://authjs.dev/getting-started/adapters/supabase, also in the
 * package `@next-auth/supabase-adapter` 0.2.1), and the sign-in of an application with the session callback from that page.
 */
import { Auth, skipCSRFCheck } from '@auth/core'

import { startProject } from '../support/program.mjs'
import { signToken } from '../support/tokens.mjs'

const adapterTables = `
--
-- Name: next_auth; Type: SCHEMA;
--
CREATE SCHEMA next_auth;

GRANT USAGE ON SCHEMA next_auth TO service_role;
GRANT ALL ON SCHEMA next_auth TO postgres;

--
-- Create users table
--
CREATE TABLE IF NOT EXISTS next_auth.users
(
    id uuid NOT NULL DEFAULT uuid_generate_v4(),
    name text,
    email text,
    "emailVerified" timestamp with time zone,
    image text,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT email_unique UNIQUE (email)
);

GRANT ALL ON TABLE next_auth.users TO postgres;
GRANT ALL ON TABLE next_auth.users TO service_role;

--- uid() function to be used in RLS policies
CREATE FUNCTION next_auth.uid() RETURNS uuid
    LANGUAGE sql STABLE
    AS $$
  select
  	coalesce(
		nullif(current_setting('request.jwt.claim.sub', true), ''),
		(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
	)::uuid
$$;

--
-- Create sessions table
--
CREATE TABLE IF NOT EXISTS  next_auth.sessions
(
    id uuid NOT NULL DEFAULT uuid_generate_v4(),
    expires timestamp with time zone NOT NULL,
    "sessionToken" text NOT NULL,
    "userId" uuid,
    CONSTRAINT sessions_pkey PRIMARY KEY (id),
    CONSTRAINT sessionToken_unique UNIQUE ("sessionToken"),
    CONSTRAINT "sessions_userId_fkey" FOREIGN KEY ("userId")
        REFERENCES  next_auth.users (id) MATCH SIMPLE
        ON UPDATE NO ACTION
        ON DELETE CASCADE
);

GRANT ALL ON TABLE next_auth.sessions TO postgres;
GRANT ALL ON TABLE next_auth.sessions TO service_role;

--
-- Create accounts table
--
CREATE TABLE IF NOT EXISTS  next_auth.accounts
(
    id uuid NOT NULL DEFAULT uuid_generate_v4(),
    type text NOT NULL,
    provider text NOT NULL,
    "providerAccountId" text NOT NULL,
    refresh_token text,
    access_token text,
    expires_at bigint,
    token_type text,
    scope text,
    id_token text,
    session_state text,
    oauth_token_secret text,
    oauth_token text,
    "userId" uuid,
    CONSTRAINT accounts_pkey PRIMARY KEY (id),
    CONSTRAINT provider_unique UNIQUE (provider, "providerAccountId"),
    CONSTRAINT "accounts_userId_fkey" FOREIGN KEY ("userId")
        REFERENCES  next_auth.users (id) MATCH SIMPLE
        ON UPDATE NO ACTION
        ON DELETE CASCADE
);

GRANT ALL ON TABLE next_auth.accounts TO postgres;
GRANT ALL ON TABLE next_auth.accounts TO service_role;

--
-- Create verification_tokens table
--
CREATE TABLE IF NOT EXISTS  next_auth.verification_tokens
(
    identifier text,
    token text,
    expires timestamp with time zone NOT NULL,
    CONSTRAINT verification_tokens_pkey PRIMARY KEY (token),
    CONSTRAINT token_unique UNIQUE (token),
    CONSTRAINT token_identifier_unique UNIQUE (token, identifier)
);

GRANT ALL ON TABLE next_auth.verification_tokens TO postgres;
GRANT ALL ON TABLE next_auth.verification_tokens TO service_role;
`

/** A table of the application, with policies that call `next_auth.uid()`. A trigger adds a row for each user of Auth.js. */
const applicationTables = `
/**
* USERS
* Note: This table contains user data. Users should only be able to view and update their own data.
*/
create table users (
  -- UUID from next_auth.users
  id uuid not null primary key,
  name text,
  email text,
  image text,
  constraint "users_id_fkey" foreign key ("id")
        references  next_auth.users (id) match simple
        on update no action
        on delete cascade -- if user is deleted in NextAuth they will also be deleted in our public table.
);
alter table users enable row level security;
create policy "Can view own user data." on users for select using (next_auth.uid() = id);
create policy "Can update own user data." on users for update using (next_auth.uid() = id);

/**
* This trigger automatically creates a user entry when a new user signs up via NextAuth.
*/
create function public.handle_new_user()
returns trigger as $$
begin
  insert into public.users (id, name, email, image)
  values (new.id, new.name, new.email, new.image);
  return new;
end;
$$ language plpgsql security definer;
create trigger on_auth_user_created
  after insert on next_auth.users
  for each row execute procedure public.handle_new_user();
`

/** Starts a project whose config.toml exposes the adapter's schema. */
export const startNextAuth = () =>
  startProject({
    from: null,
    files: { 'migrations/20221108043803_next_auth.sql': adapterTables, 'migrations/20221108044627_users.sql': applicationTables },
    change: (text) => text.replace('[api]\n', '[api]\nschemas = ["public", "graphql_public", "next_auth"]\n'),
  })

/**
 * An application in which users sign in with a link in a mail. Its sessions are in the database. Requests to the application are function calls, and
 * `mails` contains the links that it would send.
 * @returns `request(path, init)`, which keeps cookies as a browser does, and `mails`
 */
export function application(adapter, jwtSecret) {
  const mails = []
  const cookies = new Map()
  const config = {
    adapter,
    secret: 'a secret of the application, not of the project',
    trustHost: true,
    basePath: '/api/auth',
    skipCSRFCheck,
    providers: [{ id: 'email', type: 'email', name: 'Email', from: 'club@club.example', maxAge: 600, sendVerificationRequest: (mail) => void mails.push(mail) }],
    callbacks: {
      async session({ session, user }) {
        const payload = {
          aud: 'authenticated',
          exp: Math.floor(new Date(session.expires).getTime() / 1000),
          sub: user.id,
          email: user.email,
          role: 'authenticated',
        }
        // jsonwebtoken's `sign` adds the time at which the token was issued, so this code adds it too.
        session.supabaseAccessToken = signToken(jwtSecret, { ...payload, iat: Math.floor(Date.now() / 1000) })
        return session
      },
    },
  }
  const request = async (path, init = {}) => {
    const headers = { ...init.headers, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const response = await Auth(new Request(new URL(path, 'http://app.club.example/'), { ...init, headers }), config)
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return { request, mails }
}
