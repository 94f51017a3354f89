/** All scenarios by their names. */
import * as admin from './scenarios/admin.mjs'
import * as adminLinks from './scenarios/admin_links.mjs'
import * as anonymous from './scenarios/anonymous.mjs'
import * as changes from './scenarios/changes.mjs'
import * as codes from './scenarios/codes.mjs'
import * as confirmation from './scenarios/confirmation.mjs'
import * as factors from './scenarios/factors.mjs'
import * as fields from './scenarios/fields.mjs'
import * as identities from './scenarios/identities.mjs'
import * as phones from './scenarios/phones.mjs'
import * as random from './scenarios/random.mjs'
import * as routes from './scenarios/routes.mjs'
import * as sessions from './scenarios/sessions.mjs'
import * as signUp from './scenarios/sign_up.mjs'
import * as tokens from './scenarios/tokens.mjs'
import * as users from './scenarios/users.mjs'

/** Addresses must be confirmed. */
export const withConfirmations = { ...adminLinks, ...anonymous, ...changes, ...codes, ...confirmation, ...phones }

/** A new account is signed in at once. */
export const withoutConfirmations = {
  ...admin,
  ...factors,
  ...fields,
  ...identities,
  ...random,
  ...routes,
  ...sessions,
  ...signUp,
  ...tokens,
  ...users,
}
