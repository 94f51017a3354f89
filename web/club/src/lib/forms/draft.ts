import type { StoredFile } from '@/lib/upload/rules'

/** What is kept on the device of a form that has not been sent. */
export interface Draft<Values> {
  /** When it was last written, ISO 8601. */
  savedAt: string
  /** The identity of this fill of the form: however often it is sent, it makes one record. */
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

/** The draft of a form, or undefined if there is none that can be read. A draft that has expired is deleted. */
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
      // A draft of an older form may lack fields.
      values: { ...empty, ...draft.values },
      files: Array.isArray(draft.files) ? draft.files : [],
    }
  } catch {
    return undefined
  }
}

/** The keys of the fills of which this browser holds a draft. Deletes the drafts that have expired. */
export function draftKeys(): Set<string> {
  try {
    const forms = Object.keys(localStorage).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
    return new Set(forms.flatMap((form) => readDraft(form, {})?.key ?? []))
  } catch {
    return new Set()
  }
}

/** Keeps a draft. A device that keeps nothing (private window, full storage) is no reason to stop anyone from typing. */
export function writeDraft<Values>(form: string, draft: Draft<Values>) {
  try {
    localStorage.setItem(prefix + form, JSON.stringify(draft))
  } catch {
    // Nothing to do: the form itself still holds the answers.
  }
}

export function clearDraft(form: string) {
  try {
    localStorage.removeItem(prefix + form)
  } catch {
    // See writeDraft.
  }
}
