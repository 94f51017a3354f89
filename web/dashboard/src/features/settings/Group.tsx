import { Copyable } from '@/components/Copy'
import { Section } from '@/components/Page'
import type { Group as SettingGroup, Setting } from './contract'
import type { Draft } from './draft'
import { isTicked } from './draft'
import { MailEditor } from './MailEditor'
import { TestMail } from './MailTests'
import { Named, SettingField } from './SettingField'

interface GroupProps {
  group: SettingGroup
  draft: Draft
  callbackUrl: string
  /** Whether the group is a search result. If so, all its parts are unfolded. */
  isFound: boolean
  isDisabled: boolean
  onChange: (setting: Setting, value: string | boolean | null) => void
  /** Opens the dialog that shows all changes before they are saved. */
  onReview: () => void
}

export function Group({ group, draft, callbackUrl, isFound, isDisabled, onChange, onReview }: GroupProps) {
  const field = (setting: Setting) => (
    <SettingField
      key={setting.key}
      setting={setting}
      draft={draft}
      isDisabled={isDisabled}
      onChange={(value) => onChange(setting, value)}
    />
  )
  const isNamed = group.settings.some(({ name }) => name !== '')
  const isMail = group.name === 'templates' || group.name === 'notifications'
  return (
    <Section title={group.title}>
      {group.name === 'providers' && (
        <div>
          <p className="text-muted-foreground">Enter this URL at the provider:</p>
          <Copyable name="Redirect URL" value={callbackUrl} />
        </div>
      )}
      {!isNamed && <div>{group.settings.map(field)}</div>}
      {isNamed && (
        <div>
          {[...byName(group.settings)].map(([name, settings]) => (
            <Named
              key={`${name} ${isFound}`}
              name={name}
              state={stateOf(group.name, settings, draft)}
              about={group.name === 'hooks' ? settings.find(({ key }) => key.endsWith('.enabled'))?.hint : undefined}
              isOpen={isFound || settings.some(({ key }) => draft.has(key))}
            >
              {settings.filter((one) => !isMail || isShown(one, settings, draft)).map(field)}
              {isMail && <Mail kind={name} {...{ settings, draft, isDisabled, onChange, onReview }} />}
            </Named>
          ))}
        </div>
      )}
      {group.name === 'smtp' && <TestMail isDraft={group.settings.some(({ key }) => draft.has(key))} />}
    </Section>
  )
}

const part = (settings: readonly Setting[], name: string) => settings.find(({ key }) => key.endsWith(`.${name}`))

/** The text of a mail is either in a file or in config.toml. Only the setting for its present location is shown. */
function isShown(setting: Setting, settings: readonly Setting[], draft: Draft): boolean {
  const inline = part(settings, 'content')
  const isInline = inline !== undefined && (inline.is_set || draft.has(inline.key))
  return setting === inline ? isInline : setting.kind.type !== 'template' || !isInline
}

interface MailProps {
  kind: string
  settings: readonly Setting[]
  draft: Draft
  isDisabled: boolean
  onChange: GroupProps['onChange']
  onReview: () => void
}

function Mail({ kind, settings, draft, isDisabled, onChange, onReview }: MailProps) {
  const subject = part(settings, 'subject')
  const text = [part(settings, 'content'), part(settings, 'text')].find((one) => one && isShown(one, settings, draft))
  if (!subject || !text) return null
  return <MailEditor {...{ kind, subject, text, draft, isDisabled, onChange, onReview }} />
}

function byName(settings: readonly Setting[]): Map<string, Setting[]> {
  const named = new Map<string, Setting[]>()
  for (const setting of settings) named.set(setting.name, [...(named.get(setting.name) ?? []), setting])
  return named
}

/** The state of a part, shown beside its title while the part is folded. */
function stateOf(group: string, settings: readonly Setting[], draft: Draft): string | undefined {
  if (group === 'templates') return settings.some(({ is_set }) => is_set) ? 'own template' : 'Cloch’s own mail'
  const enabled = settings.find(({ key }) => key.endsWith('.enabled'))
  return enabled && (isTicked(enabled, draft) ? 'on' : 'off')
}
