import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { FormProvider, useForm, useWatch } from 'react-hook-form'
import { expect, it } from 'vitest'
import { departmentsQuery, type Department } from '../departments/queries/list-departments'
import { DepartmentPicker } from './DepartmentPicker'

function Form({ departments }: { departments: string[] }) {
  const form = useForm({ defaultValues: { departments } })
  return (
    <FormProvider {...form}>
      <DepartmentPicker />
      <output>{useWatch({ control: form.control, name: 'departments' }).join(' ')}</output>
    </FormProvider>
  )
}

function show(...departments: string[]) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  const rows = ['Art', 'Drama', 'Music'].map(
    (name) => ({ id: name.toLowerCase(), name, schools: null }) as unknown as Department,
  )
  queries.setQueryData(departmentsQuery.queryKey, rows)
  render(
    <QueryClientProvider client={queries}>
      <Form departments={departments} />
    </QueryClientProvider>,
  )
  return (name: string) => screen.getByLabelText(new RegExp(name))
}

it('the first department is the one that was ticked first, not the first of the list', async () => {
  const box = show()
  const user = userEvent.setup()
  await user.click(box('Music'))
  await user.click(box('Art'))
  expect(screen.getByRole('status')).toHaveTextContent('music art')
  expect(box('Music')).toBeChecked()
  expect(box('Drama')).not.toBeChecked()
})

it('a further choice does not become the first department; a removed choice disappears', async () => {
  const box = show('music')
  const user = userEvent.setup()
  await user.click(box('Art'))
  expect(screen.getByRole('status')).toHaveTextContent('music art')
  await user.click(box('Music'))
  expect(screen.getByRole('status')).toHaveTextContent(/^art$/)
  await user.click(box('Music'))
  expect(screen.getByRole('status')).toHaveTextContent('art music')
})
