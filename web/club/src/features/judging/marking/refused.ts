/** Error: a mark was not saved. Contains the reason for the judge. */
export class MarkRefused extends Error {}
