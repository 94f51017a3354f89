import { useId } from 'react'
import { NativeSelect } from '@cloch/ui/components/native-select'
import type { SeasonView } from './season-view'

interface SeasonPickerProps {
  views: readonly SeasonView[]
  shown: SeasonView
  onShow: (view: SeasonView) => void
}

/** A field that chooses the season shown in the dashboard. Hidden if there is only one season. */
export function SeasonPicker({ views, shown, onShow }: SeasonPickerProps) {
  const id = useId()
  if (views.length < 2) return null
  return (
    <div className="flex items-center gap-2 text-small font-strong">
      <label htmlFor={id}>Season</label>
      <NativeSelect
        id={id}
        className="w-auto"
        value={String(views.indexOf(shown))}
        onChange={(event) => {
          const chosen = views[Number(event.target.value)]
          if (chosen) onShow(chosen)
        }}
      >
        {views.map((view, index) => (
          <option key={view.until} value={String(index)}>
            {index === 0 ? `${view.name} (now)` : view.name}
          </option>
        ))}
      </NativeSelect>
    </div>
  )
}
