/** All scenarios by name, in the order in which they run. The lists of buckets are first, because they show the buckets of other scenarios too. */
import * as bucketLists from './scenarios/bucket_lists.mjs'
import * as bucketLimits from './scenarios/bucket_limits.mjs'
import * as bucketNames from './scenarios/bucket_names.mjs'
import * as bucketSettings from './scenarios/bucket_settings.mjs'
import * as callers from './scenarios/callers.mjs'
import * as copies from './scenarios/copies.mjs'
import * as deletions from './scenarios/deletions.mjs'
import * as deliberate from './scenarios/deliberate.mjs'
import * as forms from './scenarios/forms.mjs'
import * as lists from './scenarios/lists.mjs'
import * as listsV2 from './scenarios/lists_v2.mjs'
import * as names from './scenarios/names.mjs'
import * as overwriting from './scenarios/overwriting.mjs'
import * as reads from './scenarios/reads.mjs'
import * as routes from './scenarios/routes.mjs'
import * as sequence from './scenarios/sequence.mjs'
import * as signed from './scenarios/signed.mjs'
import * as signedUploads from './scenarios/signed_uploads.mjs'
import * as tokens from './scenarios/tokens.mjs'
import * as tus from './scenarios/tus.mjs'
import * as tusProtocol from './scenarios/tus_protocol.mjs'
import * as uploads from './scenarios/uploads.mjs'

const files = [
  bucketLists,
  bucketNames,
  bucketSettings,
  bucketLimits,
  uploads,
  forms,
  overwriting,
  reads,
  names,
  lists,
  listsV2,
  copies,
  deletions,
  signed,
  signedUploads,
  tus,
  tusProtocol,
  callers,
  tokens,
  routes,
  deliberate,
  sequence,
]

/** A file exports its scenarios and functions that other files share; a scenario has one argument. */
const isScenario = (value) => typeof value === 'function' && value.length === 1 && value.constructor.name === 'AsyncFunction'

export const scenarios = Object.fromEntries(
  files.flatMap((file) => Object.entries(file).filter(([, value]) => isScenario(value))),
)
