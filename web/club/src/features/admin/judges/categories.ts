export const judgeCategories = ['photography', 'artist', 'music', 'singing', 'citizen'] as const
export type JudgeCategory = (typeof judgeCategories)[number]

export const categoryLabels: Record<JudgeCategory, string> = {
  photography: 'Photography',
  artist: 'Artist',
  music: 'Music',
  singing: 'Singing',
  citizen: 'Citizen',
}
