/**
 * Past winners, as the award pages show them. These are placeholders: a club replaces them with the names that it may publish, with the
 * consent of each winner's family.
 */
export interface Winner {
  year: number
  text: string
}

export const citizenWinners: Winner[] = [
  {
    year: 2024,
    text: 'A Sample Youth Group (a made-up name): weekly visits to people who live alone, and a Christmas dinner for sixty.',
  },
  {
    year: 2023,
    text: 'Jamie Sample (a made-up name): part of a family’s long campaign that has raised £300,000 for a children’s charity.',
  },
  { year: 2022, text: 'Robin Example (a made-up name): ran the school’s beach clean for three winters.' },
]

export const musicianWinners: Winner[] = [
  { year: 2023, text: 'Alex Example, vocal, and Sam Sample, instrumental (made-up names).' },
  { year: 2022, text: 'Chris Example, vocal, and Jo Sample, instrumental (made-up names).' },
]

export const photographerWinners: Winner[] = [
  { year: 2023, text: 'Pat Example, senior, and Kit Sample, intermediate (made-up names).' },
  { year: 2022, text: 'Lee Example, senior, and Max Sample, intermediate (made-up names).' },
]

export const artistWinners: Winner[] = [
  { year: 2023, text: 'Ellis Example, senior, Rory Sample, intermediate, and Bo Specimen, junior (made-up names).' },
  { year: 2022, text: 'Dale Example, senior, Wren Sample, intermediate, and Sky Specimen, junior (made-up names).' },
]
