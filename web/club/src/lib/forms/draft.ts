import type { StoredFile } from '@/lib/upload/rules'

/** The draft of an unsent form. It is stored on the device. */
export interface Draft<Values> {
  /** Time of the last write, in ISO 8601 format. */
  savedAt: string
  /** Identifies this filled form. If the form is sent several times, only one record with this key is created. */
  key: string
  values: Values
  files: StoredFile[]
}

const prefix = 'draft:'

/**
 * Lifetime of a draft in milliseconds, counted from its last change. It is limited, because the draft contains data of children and other people may
 * use the same computer. The privacy page promises 30 days.
 */
const lifetime = 30 * 24 * 60 * 60 * 1000

/** The draft of a form. Undefined if there is none, or if it cannot be parsed. An expired draft is deleted. */
export function readDraft<Values extends object>(form: string, empty: Values): Draft<Values> | undefined {
  try {
    const text = localStorage.getItem(prefix + form)
    if (text === null) return undefined
    const draft = JSON.parse(text) as Partial<Draft<Values>>
    if (typeof draft.key !== 'string' || typeof draft.savedAt !== 'string') return undefined
    if (!(Date.now() - Date.parse(draft.savedAt) < lifetime)) {
      clearDraft(form)
      return undefined
    }
    return {
      savedAt: draft.savedAt,
      key: draft.key,
      // The draft may have been stored by an older version of the form, with fewer fields.
      values: { ...empty, ...draft.values },
      files: Array.isArray(draft.files) ? draft.files : [],
    }
  } catch {
    return undefined
  }
}

/** The keys of all drafts in this browser. Expired drafts are deleted. */
export function draftKeys(): Set<string> {
  try {
    const forms = Object.keys(localStorage).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
    return new Set(forms.flatMap((form) => readDraft(form, {})?.key ?? []))
  } catch {
    return new Set()
  }
}

/** Stores a draft. If the device cannot store it (private window, storage full), the form still works. */
export function writeDraft<Values>(form: string, draft: Draft<Values>) {
  try {
    localStorage.setItem(prefix + form, JSON.stringify(draft))
  } catch {
    // Ignored, because the form itself still has the answers.
  }
}

export function clearDraft(form: string) {
  try {
    localStorage.removeItem(prefix + form)
  } catch {
    // See writeDraft.
  }
}
