import { useQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { Field } from '@/components/form/Field'
import { Button } from '@cloch/ui/components/button'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { ListState } from '../../shared/ListState'
import { CriteriaDialog } from './CriteriaDialog'
import { JointTable } from './JointTable'
import { jointResultQuery } from './queries/joint-result'
import { firstSection, sectionKey, sectionName, sections, type Section } from './sections'

/** The joint result of a category: the places and scores by all judges with a link, and the places that an administrator settles. */
export function JointResultSection() {
  const [section, setSection] = useState(firstSection)
  const [isEditing, setEditing] = useState(false)
  return (
    <section aria-labelledby="joint-result" className="mt-12">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3 border-t-[6px] border-foreground pt-5">
        <div>
          <h2 id="joint-result" className="text-[1.375rem] leading-tight">
            Joint result
          </h2>
          <p className="text-muted-foreground">What judges with a link have given, and the places that the club settles</p>
        </div>
        <Button size="sm" variant="outline" onClick={() => setEditing(true)}>
          <SlidersHorizontal aria-hidden />
          Criteria
        </Button>
      </div>
      <div className="mb-5 max-w-88">
        <Field name="joint-section" label="Category" error={undefined}>
          {(control) => (
            <NativeSelect
              {...control}
              value={sectionKey(section)}
              onChange={(event) => setSection((now) => sections.find((each) => sectionKey(each) === event.target.value) ?? now)}
            >
              {sections.map((each) => (
                <option key={sectionKey(each)} value={sectionKey(each)}>
                  {sectionName(each)}
                </option>
              ))}
            </NativeSelect>
          )}
        </Field>
      </div>
      <Result key={sectionKey(section)} section={section} />
      {isEditing ? <CriteriaDialog award={section.award} onClose={() => setEditing(false)} /> : null}
    </section>
  )
}

function Result({ section }: { section: Section }) {
  const query = useQuery(jointResultQuery(section))
  return (
    <ListState query={query} failed="Failed to load the joint result" loading="Loading the joint result...">
      {(result) => <JointTable section={section} result={result} />}
    </ListState>
  )
}
