/** The built-in templates of every project. */
export const BUILT_IN_TEMPLATES = [
    { id: 'hourly', description: 'Every hour, on the hour', rule: { cron: '0 * * * *' }, timezone: null },
    { id: 'daily-midnight', description: 'Every day at midnight', rule: { cron: '0 0 * * *' }, timezone: null },
    {
        id: 'weekdays-nine',
        description: 'Monday to Friday at nine',
        rule: { cron: '0 9 * * 1-5' },
        timezone: null,
    },
    {
        id: 'weekly-monday-eight',
        description: 'Every Monday at eight',
        rule: { cron: '0 8 * * 1' },
        timezone: null,
    },
];
export const builtInTemplate = (id) => BUILT_IN_TEMPLATES.find((template) => template.id === id);
//# sourceMappingURL=templates.js.map