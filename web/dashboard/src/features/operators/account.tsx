import { Button } from '@cloch/ui/components/button'
import { Facts } from '@/components/Facts'
import { Page, Section } from '@/components/Page'
import { remove } from '@/lib/api'
import { firstText } from '@/lib/format'
import { useOperator } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { Passkeys } from './Passkeys'
import { Password } from './Password'
import { SecondFactor } from './SecondFactor'

/** Page of the signed-in operator's account. */
export function Component() {
  const operator = useOperator()
  const others = useAction(() => remove('/session/others'), {
    done: 'You are signed out everywhere else',
    failed: 'Nothing was changed',
  })
  return (
    <Page title="Your account">
      <div className="grid max-w-5xl items-start gap-8 xl:grid-cols-2">
        <Section title="Who you are">
          <Facts
            facts={[
              ['E-mail', operator.email],
              ['Name', firstText(operator.name) ?? '–'],
              ['Role', operator.role],
            ]}
          />
          <Button variant="outline" size="compact" className="justify-self-start" onClick={() => others.mutate()}>
            Sign out everywhere else
          </Button>
        </Section>
        <Section title="Passkeys">
          <Passkeys />
        </Section>
        <Section title="Password">
          <Password />
        </Section>
        {operator.password && (
          <Section title="Second factor">
            <SecondFactor isOn={operator.totp} />
          </Section>
        )}
      </div>
    </Page>
  )
}
