import type { Option } from '@/components/form/fields'

export const agreeOrDisagree: Option[] = [
  { value: 'agree', label: 'Agree' },
  { value: 'disagree', label: 'Disagree' },
]

export const yesOrNo: Option[] = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
]

export const pronouns: Option[] = [
  { value: 'she/her', label: 'she/her' },
  { value: 'he/him', label: 'he/him' },
  { value: 'they/them', label: 'they/them' },
]

export const intermediateOrSenior: Option[] = [
  { value: 'intermediate', label: 'Intermediate, 11 to 13' },
  { value: 'senior', label: 'Senior, 14 to 17' },
]
