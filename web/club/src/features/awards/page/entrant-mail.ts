import { season } from '@/content/awards'
import type { SummarySection } from '@/lib/forms/html'

/** The mail's section about who enters: name and age, and what else the award asks for. */
export function entrantSection(entry: { entrantName: string; age: number }, rows: SummarySection['rows']): SummarySection {
  return {
    heading: 'The entrant',
    rows: [['Name', entry.entrantName], [`Age as at ${season.ageDateOrdinal}`, entry.age], ...rows],
  }
}

interface PictureEntry {
  entrantName: string
  age: number
  organisation: string
  category: keyof typeof categoryWords
}

const categoryWords = { junior: 'Junior (under 10)', intermediate: 'Intermediate (11-13)', senior: 'Senior (14-17)' }

/** The same for both picture awards. */
export function pictureEntrantSection(entry: PictureEntry, pronouns: string): SummarySection {
  return entrantSection(entry, [
    ['Pronouns', pronouns],
    ['School, college or organisation', entry.organisation],
    ['Category', categoryWords[entry.category]],
  ])
}

/** The answer to the question of publicity, in words. */
export function publicityWords(answer: 'agree' | 'disagree' | null): string {
  return answer === null ? 'Not specified' : answer === 'agree' ? 'Agree' : 'Disagree'
}
