import { Copyable } from '@/components/Copy'
import { Section } from '@/components/Page'
import type { Group as SettingGroup, Setting } from './contract'
import type { Draft } from './draft'
import { isTicked, shownText } from './draft'
import { BeginWithText, TemplatePreview, TestMail } from './MailTests'
import { Named, SettingField } from './SettingField'

interface GroupProps {
  group: SettingGroup
  draft: Draft
  callbackUrl: string
  /** Whether the group is a search result. If so, all its parts are unfolded. */
  isFound: boolean
  isDisabled: boolean
  onChange: (setting: Setting, value: string | boolean | null) => void
}

export function Group({ group, draft, callbackUrl, isFound, isDisabled, onChange }: GroupProps) {
  const field = (setting: Setting) => (
    <SettingField
      key={setting.key}
      setting={setting}
      draft={draft}
      isDisabled={isDisabled}
      onChange={(value) => onChange(setting, value)}
    />
  )
  /** Returns the setting for the custom text of a mail, if the setting can be changed and is empty. */
  const emptyText = (settings: readonly Setting[]) =>
    settings.find((one) => one.kind.type === 'lines' && one.locked === null && shownText(one, draft) === '')
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
              {settings.map(field)}
              {isMail && <MailButtons kind={name} text={isDisabled ? undefined : emptyText(settings)} onChange={onChange} />}
            </Named>
          ))}
        </div>
      )}
      {group.name === 'smtp' && <TestMail isDraft={group.settings.some(({ key }) => draft.has(key))} />}
    </Section>
  )
}

interface MailButtonsProps {
  kind: string
  /** The setting for the custom text of the mail. The current default text can be copied into it. */
  text: Setting | undefined
  onChange: GroupProps['onChange']
}

function MailButtons({ kind, text, onChange }: MailButtonsProps) {
  return (
    <>
      {text && <BeginWithText kind={kind} onText={(source) => onChange(text, source)} />}
      <TemplatePreview kind={kind} />
    </>
  )
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
