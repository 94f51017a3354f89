import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { OneFieldDialog } from './OneFieldDialog'

it('keeps a pasted text completely, shows that it is too long, and sends it once it is short enough', async () => {
  const sent = vi.fn<(value: string) => void>()
  render(
    <OneFieldDialog
      title="Name of the passkey"
      name="passkey-name"
      label="Name"
      hint="Which device it is on"
      input={{}}
      max={20}
      submit="Save"
      submitting="Saving..."
      isPending={false}
      onSubmit={sent}
      onClose={() => undefined}
    />,
  )
  const user = userEvent.setup()
  const field = screen.getByLabelText('Name')
  await user.click(field)
  await user.paste('The phone in the drawer at the end')
  expect(field).toHaveValue('The phone in the drawer at the end')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(field).toHaveAccessibleDescription(/At most 20 characters/)
  expect(field).toHaveValue('The phone in the drawer at the end')
  expect(sent).not.toHaveBeenCalled()
  await user.clear(field)
  // Spaces at the end do not count for the maximum length.
  await user.paste('Twenty characters it  ')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(sent).toHaveBeenCalledExactlyOnceWith('Twenty characters it  ')
})
