import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { each, encodeText, templateContent, when } from './content-template'
import { getContent } from './site-content'

const draw = (content: ReturnType<typeof getContent>) =>
  renderToStaticMarkup(
    <ul>
      {each(
        content.partners,
        ({ name, text }) => (
          <li>
            {name}
            {when(text, (shown) => (
              <p>{shown}</p>
            ))}
          </li>
        ),
        <li>none</li>,
      )}
    </ul>,
  )

it('renders the published content', () => {
  const content = getContent()
  const drawn = draw({
    ...content,
    partners: [
      { name: 'A', text: 'B' },
      { name: 'C', text: '' },
    ],
  })
  expect(drawn).toBe('<ul><li>A<p>B</p></li><li>C</li></ul>')
  expect(draw({ ...content, partners: [] })).toBe('<ul><li>none</li></ul>')
})

it('renders a template at build time', () => {
  expect(draw(templateContent())).toBe(
    '<ul>{cloch:each:content.partners}<li>{cloch:text:item.name|}{cloch:if:item.text}<p>{cloch:text:item.text|}</p>{cloch:else}{cloch:end}</li>{cloch:else}<li>none</li>{cloch:end}</ul>',
  )
  expect(templateContent().texts.deadline).toBe('{cloch:text:content.texts.deadline|31st October}')
})

it('encodes a text for a URL, or leaves this to the server', () => {
  expect(encodeText('A & B')).toBe('A%20%26%20B')
  expect(encodeText('{cloch:text:item.rsvpSubject|}')).toBe('{cloch:url:item.rsvpSubject|}')
})
