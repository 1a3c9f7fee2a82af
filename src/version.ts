/** The version of this program, as it names itself to the API server, in reports and in recordings. */
export const VERSION = '0.1.0';
