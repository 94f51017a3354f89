/**
 * The privacy notice below the award forms and on the privacy page. Some forms do not ask for the consent to publicity; then an administrator can
 * record it.
 */
export const privacyNotice = [
  'We use the data on this form only to run the competitions.',
  'The entrant’s name and image may be used for publicity, with your consent.',
  'For anyone under 18 we contact the parent or guardian only.',
  'Data is shared with the organisers of the competition at club, district, cluster and national level, and with venues and caterers, who receive only the minimum they need.',
  'Data is kept for 3 months after the national final or event, and then destroyed.',
  'Signing the form means agreeing to this notice.',
]

export const privacyShort =
  'We use what you write only to run the competitions. It is kept for 3 months after the national final or event, then destroyed.'
