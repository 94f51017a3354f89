/** Error: a mark was not saved, for a reason that the judge should read. */
export class MarkRefused extends Error {}
