import type { StoredFile } from '@/lib/upload/rules'

/** The draft of an unsent form, stored on the device. */
export interface Draft<Values> {
  /** Time of the last write, in ISO 8601 format. */
  savedAt: string
  /** Identity of this filled form: however often it is sent, it creates one record. */
  key: string
  values: Values
  files: StoredFile[]
}

const prefix = 'draft:'

/**
 * Milliseconds after its last change at which a draft is deleted: it contains data of children, and other people may use the same computer. The
 * privacy page says 30 days.
 */
const lifetime = 30 * 24 * 60 * 60 * 1000

/** The draft of a form, or undefined if there is none that can be parsed. An expired draft is deleted. */
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
      // A draft of an older version of the form may lack fields.
      values: { ...empty, ...draft.values },
      files: Array.isArray(draft.files) ? draft.files : [],
    }
  } catch {
    return undefined
  }
}

/** The keys of all drafts in this browser. Deletes expired drafts. */
export function draftKeys(): Set<string> {
  try {
    const forms = Object.keys(localStorage).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
    return new Set(forms.flatMap((form) => readDraft(form, {})?.key ?? []))
  } catch {
    return new Set()
  }
}

/** Stores a draft. If the device cannot store it (private window, full storage), the form still works. */
export function writeDraft<Values>(form: string, draft: Draft<Values>) {
  try {
    localStorage.setItem(prefix + form, JSON.stringify(draft))
  } catch {
    // Ignored: the form itself still has the answers.
  }
}

export function clearDraft(form: string) {
  try {
    localStorage.removeItem(prefix + form)
  } catch {
    // See writeDraft.
  }
}
