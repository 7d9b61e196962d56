const count = <any>rows;
export const find = (id: string) => db.query(`SELECT * FROM rows WHERE id = ${id}`);
